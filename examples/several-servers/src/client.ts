import { Agent, get } from 'node:http'

/**
 * How many requests per second are let in of a client that asks over so many connections, which it keeps, at so many
 * requests a second in all. The first second does not count: it finds full buckets.
 */
export async function letInPerSecond(url: string, connections: number, rate: number, seconds: number): Promise<number> {
  const agents = Array.from({ length: connections }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  const answers: Promise<number>[] = []
  let [began, counted] = [0, 0]
  for (let sent = 0; counted < seconds * 1_000; sent++) {
    if (sent === rate) began = performance.now()
    answers.push(statusOf(url, agents[sent % connections] as Agent))
    await new Promise((resolve) => setTimeout(resolve, 1_000 / rate))
    if (sent >= rate) counted = performance.now() - began
  }
  const statuses = await Promise.all(answers)
  for (const agent of agents) agent.destroy()
  return statuses.slice(rate).filter((status) => status === 200).length / (counted / 1_000)
}

function statusOf(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { 'x-customer': 'acme' } }, (response) => {
      response.resume()
      response.once('end', () => resolve(response.statusCode ?? 0))
    }).once('error', reject)
  })
}
