import { Agent, get } from 'node:http'

/** What one server answered. */
export interface Tally {
  letIn: number
  refused: number
}

/** A client that counts its answers by the server that gave them. */
export class Client {
  readonly tallies = new Map<string, Tally>()
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  /** Asks once; says whether it was let in. */
  async ask(agent: Agent): Promise<boolean> {
    const { server, status } = await answerOf(this.#url, agent)
    const tally = this.tallies.get(server) ?? { letIn: 0, refused: 0 }
    this.tallies.set(server, tally)
    if (status === 200) tally.letIn++
    else tally.refused++
    return status === 200
  }

  /** Asks over and over, on so many connections, until the time is up. */
  async flood(connections: number, seconds: number): Promise<void> {
    const until = performance.now() + seconds * 1_000
    const askOn = async (): Promise<void> => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      while (performance.now() < until) await this.ask(agent)
      agent.destroy()
    }
    await Promise.all(Array.from({ length: connections }, askOn))
  }
}

function answerOf(url: string, agent: Agent): Promise<{ server: string; status: number }> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { 'x-customer': 'acme' } }, (response) => {
      const answer = { server: String(response.headers['x-server']), status: response.statusCode ?? 0 }
      response.resume()
      response.once('end', () => resolve(answer))
    }).once('error', reject)
  })
}
