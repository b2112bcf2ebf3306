// 100,000 customers and 50 servers on one control plane: how long changes take to reach all of them, and what it costs.
// Run it alone: `npm run bench:control`. It takes some two minutes, because servers ask every 15 seconds.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type SimulatedServer, simulatedServer } from './servers.js'

const CUSTOMERS = Number(process.env.CUSTOMERS ?? 100_000)
const SERVERS = Number(process.env.SERVERS ?? 50)
const ACTIVE = Number(process.env.ACTIVE ?? 2_000)
const STEADY_MS = Number(process.env.STEADY_MS ?? 45_000)

interface Health {
  readonly p50: number
  readonly p99: number
  readonly max: number
  readonly cpuMs: number
  readonly rssMb: number
}

const plane = fork(new URL('plane.ts', import.meta.url))
const [{ url, admin, sync: token }] = (await once(plane, 'message')) as [{ url: string; admin: string; sync: string }]
const customers = Array.from({ length: CUSTOMERS }, (_, index) => `customer-${index}`)

async function api(method: string, path: string, body?: object | string): Promise<void> {
  const isText = typeof body === 'string'
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${admin}`,
      ...(body !== undefined && { 'content-type': isText ? 'text/csv' : 'application/json' }),
    },
    ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(await response.text())
  await response.text()
}

async function health(): Promise<Health> {
  plane.send('')
  return ((await once(plane, 'message')) as [Health])[0]
}

function print(what: string, { p50, p99, max, cpuMs, rssMb }: Health, more = ''): void {
  const loop = `event loop p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} max ${max.toFixed(0)} ms`
  console.log(
    `${what.padEnd(46)} ${loop.padEnd(48)} cpu ${(cpuMs / 1_000).toFixed(1)} s  rss ${rssMb.toFixed(0)} MB  ${more}`,
  )
}

async function timed(work: () => Promise<unknown>): Promise<string> {
  const began = performance.now()
  await work()
  return `${((performance.now() - began) / 1_000).toFixed(2)} s`
}

/** Waits until all servers have a later revision than this; the servers ask at their own times. */
async function allHave(servers: readonly SimulatedServer[], rev: number): Promise<void> {
  while (servers.some((server) => server.rev < rev)) await sleep(5)
}

/** Waits until an API sends this burst to a customer. */
async function answersWith(url: string, burst: number): Promise<void> {
  const sent = async (): Promise<string | null> =>
    (await fetch(url, { headers: { 'x-customer': 'customer-7' } })).headers.get('ratelimit-policy')
  while (!(await sent())?.includes(`;q=${burst};`)) await sleep(20)
}

const at = (sorted: readonly number[], part: number): number => sorted[Math.floor(sorted.length * part)] ?? 0

function csv(plan: (index: number) => string): string {
  return `id,plan\n${customers.map((id, index) => `${id},${plan(index)}`).join('\n')}\n`
}

await api('PUT', '/v1/plans/free', { limits: { per_second: 10, per_minute: 300 } })
await api('PUT', '/v1/plans/pro', { limits: { per_second: 100, per_minute: 3_000 } })
await health()
const imported = await timed(() =>
  api(
    'POST',
    '/v1/customers.csv',
    csv((index) => (index % 5 ? 'free' : 'pro')),
  ),
)
print(`import of ${CUSTOMERS} customers`, await health(), `took ${imported}`)

const servers = Array.from({ length: SERVERS }, () => simulatedServer({ url, token, customers, active: ACTIVE }))
const full = await timed(() => Promise.all(servers.map((server) => server.sync())))
print(
  `${SERVERS} servers start at once, all get everything`,
  await health(),
  `took ${full}, ${(servers[0]?.seen[0]?.bytes ?? 0) / 1e6} MB each`,
)

for (const server of servers) server.run()
const apis = await Promise.all(
  Array.from({ length: 4 }, async () => {
    const env = { ...process.env, CONTROL_URL: url, SYNC_TOKEN: token }
    const child = fork(new URL('api.ts', import.meta.url), { env })
    const [at] = (await once(child, 'message')) as [string]
    return { child, at }
  }),
)
await sleep(STEADY_MS)
const latencies = servers.flatMap(({ seen }) => seen.slice(1).map(({ ms }) => ms)).sort((a, b) => a - b)
print(
  `steady: each reports ${ACTIVE} customers every 15 s`,
  await health(),
  `${latencies.length} syncs, p50 ${at(latencies, 0.5).toFixed(0)} p99 ${at(latencies, 0.99).toFixed(0)} ms, unchanged ${servers[0]?.seen.at(-1)?.bytes} bytes`,
)

for (let round = 1; round <= 3; round++) {
  const before = Math.max(...servers.map(({ rev }) => rev))
  await api('PATCH', '/v1/customers/customer-7/overrides', { per_second: 50 + round })
  const real = timed(() => Promise.all(apis.map(({ at }) => answersWith(at, 50 + round))))
  const took = await timed(() => allHave(servers, before + 1))
  print(
    `one override, until all ${SERVERS} have it`,
    await health(),
    `took ${took}; by the answers of 4 real APIs ${await real}`,
  )
}

for (let round = 1; round <= 3; round++) {
  const plan = (index: number): string => ((index + round) % 5 ? 'free' : 'pro')
  const took = await timed(() => api('POST', '/v1/customers.csv', csv(plan)))
  const rev = Math.max(...servers.map((server) => server.rev)) + 1
  const until = await timed(() => allHave(servers, rev))
  print('40,000 customers moved to another plan', await health(), `import ${took}, then until all have it ${until}`)
}

const listed = await timed(() => api('GET', '/v1/usage'))
print('usage of all customers in the last hour', await health(), `took ${listed}`)

for (const server of servers) server.stop()
for (const { child } of apis) child.disconnect()
plane.disconnect()
