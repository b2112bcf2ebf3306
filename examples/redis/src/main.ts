// Four processes behind Node's cluster, one Redis, one customer with 10 per second: what each server let in, and the sum.
import cluster from 'node:cluster'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { createClient } from 'redis'
import { createApp, LIMIT } from './api.js'
import { Client } from './client.js'
import { openRedis } from './redis.js'

const SERVERS = 4
const SECONDS = Number(process.env.SECONDS ?? 5)
const port = Number(process.env.PORT ?? 3000)

if (cluster.isPrimary) await lead()
else {
  const app = await createApp(String(process.env.REDIS_URL), cluster.worker?.id ?? 0)
  app.listen(port, '127.0.0.1')
}

async function lead(): Promise<void> {
  const { url, stop } = await openRedis()
  const workers = Array.from({ length: SERVERS }, () => cluster.fork({ REDIS_URL: url }))
  await Promise.all(workers.map((worker) => once(worker, 'listening')))
  const redis = createClient({ url })
  await redis.connect()
  await redis.del('rail:{acme}')
  const clockMs = async (): Promise<number> => {
    const [seconds, micros] = (await redis.sendCommand(['TIME'])) as unknown as [string, string]
    return Number(seconds) * 1_000 + Number(micros) / 1_000
  }

  console.log(
    `http://127.0.0.1:${port}/ is ${SERVERS} servers. One customer, 10 per second, floods them for ${SECONDS} s.\n`,
  )
  const client = new Client(`http://127.0.0.1:${port}/`)
  const agent = new Agent({ keepAlive: true })
  // The first and the last request are each between two looks at Redis's clock. The last one is refused.
  const beforeFirst = await clockMs()
  await client.ask(agent)
  const afterFirst = await clockMs()
  await Promise.all(Array.from({ length: LIMIT.burst }, () => client.ask(agent)))
  await client.flood(8 * SERVERS, SECONDS)
  let beforeLast = await clockMs()
  while (await client.ask(agent)) beforeLast = await clockMs()
  const afterLast = await clockMs()

  console.log('server  let in  refused')
  let sum = 0
  for (const [server, { letIn, refused }] of [...client.tallies].toSorted(([a], [b]) => Number(a) - Number(b))) {
    sum += letIn
    console.log(`${server.padStart(6)}  ${String(letIn).padStart(6)}  ${String(refused).padStart(7)}`)
  }
  console.log(`   sum  ${String(sum).padStart(6)}`)

  const mayBeLetIn = (ms: number): number => Math.floor(LIMIT.burst + (LIMIT.tokens * ms) / 1_000)
  const [least, most] = [mayBeLetIn(beforeLast - afterFirst), mayBeLetIn(afterLast - beforeFirst)]
  const seconds = ((afterLast - beforeFirst) / 1_000).toFixed(2)
  console.log(
    `\nBy Redis's clock ${seconds} s: floor(${LIMIT.burst} + ${LIMIT.tokens} * ${seconds}) = ${most} may be let in.`,
  )
  const exact = least <= sum && sum <= most
  console.log(exact ? 'The sum is exact.' : `The sum is NOT exact: it should be ${least} to ${most}.`)

  agent.destroy()
  redis.destroy()
  for (const worker of workers) worker.kill()
  stop()
  process.exitCode = exact ? 0 : 1
}
