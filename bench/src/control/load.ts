import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type SimulatedServer, simulatedServer } from './servers.js'

/** How much load. */
export interface LoadOptions {
  readonly customers: number
  readonly servers: number
  /** How many customers each report is of. */
  readonly active: number
  /** How long nothing changes, in milliseconds. */
  readonly steadyMs: number
  readonly rounds: number
  readonly say: (what: string) => void
}

/** How the control plane's process fared in a span of time. */
export interface Health {
  /** Of the event loop, in milliseconds. */
  readonly p99: number
  readonly cpuMs: number
  readonly rssMb: number
}

/** What was found. All times are milliseconds. */
export interface LoadFigures {
  readonly importMs: number
  readonly steady: Health & { readonly syncs: number }
  readonly unchangedBytes: number
  /** One override, until every server has it, and until real APIs answer with it. */
  readonly overrides: readonly { readonly allMs: number; readonly answersMs: number; readonly health: Health }[]
  /** Many customers moved to another plan: from the end of the import until every server has it. */
  readonly moves: readonly { readonly allMs: number; readonly health: Health }[]
}

/** Puts a control plane, in a process of its own, under the load of many servers and customers. */
export async function measureLoad(options: LoadOptions): Promise<LoadFigures> {
  const { servers: count, active, steadyMs, rounds, say } = options
  const plane = fork(new URL('plane.ts', import.meta.url))
  const [{ url, admin, sync: token }] = (await once(plane, 'message')) as [{ url: string; admin: string; sync: string }]
  const customers = Array.from({ length: options.customers }, (_, index) => `customer-${index}`)
  const health = async (): Promise<Health> => {
    plane.send('')
    return ((await once(plane, 'message')) as [Health])[0]
  }
  const api = (method: string, path: string, body: object | string): Promise<void> =>
    call(url + path, admin, method, body)
  const csv = (plan: (index: number) => string): string =>
    `id,plan\n${customers.map((id, index) => `${id},${plan(index)}`).join('\n')}\n`

  say(`control plane: import of ${customers.length} customers`)
  await api('PUT', '/v1/plans/free', { limits: { per_second: 10, per_minute: 300 } })
  await api('PUT', '/v1/plans/pro', { limits: { per_second: 100, per_minute: 3_000 } })
  const importMs = await timed(() =>
    api(
      'POST',
      '/v1/customers.csv',
      csv((index) => (index % 5 ? 'free' : 'pro')),
    ),
  )

  say(`control plane: ${count} servers`)
  const servers = Array.from({ length: count }, () => simulatedServer({ url, token, customers, active }))
  await Promise.all(servers.map((server) => server.sync()))
  for (const server of servers) server.run()
  const apis = await Promise.all(Array.from({ length: 4 }, () => startApi(url, token)))
  await health()
  const before = syncsOf(servers)
  await sleep(steadyMs)
  const steady = { ...(await health()), syncs: syncsOf(servers) - before }
  const unchanged = servers.flatMap(({ seen }) => seen.filter(({ kind }) => kind === 'unchanged'))

  const overrides: LoadFigures['overrides'][number][] = []
  for (let round = 1; round <= rounds; round++) {
    say(`control plane: override ${round} of ${rounds}`)
    const rev = latestRev(servers) + 1
    await api('PATCH', '/v1/customers/customer-7/overrides', { per_second: 50 + round })
    const [answersMs, allMs] = await Promise.all([
      timed(() => Promise.all(apis.map(({ at }) => answersWith(at, 50 + round)))),
      timed(() => allHave(servers, rev)),
    ])
    overrides.push({ allMs, answersMs, health: await health() })
  }
  const moves: LoadFigures['moves'][number][] = []
  for (let round = 1; round <= rounds; round++) {
    say(`control plane: 40 % of customers move, ${round} of ${rounds}`)
    await api(
      'POST',
      '/v1/customers.csv',
      csv((index) => ((index + round) % 5 ? 'free' : 'pro')),
    )
    const rev = latestRev(servers) + 1
    moves.push({ allMs: await timed(() => allHave(servers, rev)), health: await health() })
  }
  for (const server of servers) server.stop()
  for (const { child } of apis) child.disconnect()
  plane.disconnect()
  return { importMs, steady, unchangedBytes: Math.max(...unchanged.map(({ bytes }) => bytes)), overrides, moves }
}

async function call(url: string, token: string, method: string, body: object | string): Promise<void> {
  const isText = typeof body === 'string'
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': isText ? 'text/csv' : 'application/json' },
    body: isText ? body : JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
}

async function startApi(control: string, token: string): Promise<{ child: ChildProcess; at: string }> {
  const child = fork(new URL('api.ts', import.meta.url), {
    env: { ...process.env, CONTROL_URL: control, SYNC_TOKEN: token },
  })
  const ended = once(child, 'exit').then(() => {
    throw new Error('An API of the benchmark ended by itself.')
  })
  const [at] = (await Promise.race([once(child, 'message'), ended])) as [string]
  ended.catch(() => {})
  return { child, at }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/** Waits until all servers have a revision; they ask at their own times. */
async function allHave(servers: readonly SimulatedServer[], rev: number): Promise<void> {
  while (servers.some((server) => server.rev < rev)) await sleep(5)
}

/** Waits until an API sends this burst to a customer. */
async function answersWith(url: string, burst: number): Promise<void> {
  const sent = async (): Promise<string | null> =>
    (await fetch(url, { headers: { 'x-customer': 'customer-7' } })).headers.get('ratelimit-policy')
  while (!(await sent())?.includes(`;q=${burst};`)) await sleep(20)
}

function latestRev(servers: readonly SimulatedServer[]): number {
  return Math.max(...servers.map(({ rev }) => rev))
}

function syncsOf(servers: readonly SimulatedServer[]): number {
  return servers.reduce((sum, { seen }) => sum + seen.length, 0)
}
