import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { manualClock } from '@rail/core'
import { expect, onTestFinished, test } from 'vitest'
import { backUp } from '../../src/store/backup.js'
import { openDatabase } from '../../src/store/database.js'
import { startProxy } from '../fault-proxy.js'
import { type ApiServer, startApi, until } from '../fleet.js'
import { dataDirectory, type Harness, START, startHarness } from '../support.js'

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Half the requests are of a customer with a limit, half of one without any that matters. */
interface Load {
  allowed: number
  refused: number
}

async function ask(api: ApiServer, load: Load, times: number): Promise<void> {
  for (let sent = 0; sent < times; sent++) {
    const { status, burst } = await api.ask(sent % 2 ? 'acme' : 'globex')
    expect(burst).toBe(sent % 2 ? 20 : 100_000)
    if (status === 200) load.allowed += 1
    else load.refused += 1
  }
}

/** Calls all servers for this many seconds, each some hundred times a second. Returns how long each request took, in order. */
async function askFor(apis: readonly ApiServer[], load: Load, seconds: number): Promise<number[]> {
  const took: number[] = []
  const end = performance.now() + seconds * 1_000
  const asking = async (api: ApiServer): Promise<void> => {
    while (performance.now() < end) {
      const began = performance.now()
      await ask(api, load, 2)
      took.push((performance.now() - began) / 2)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  await Promise.all(apis.map(asking))
  return took.sort((a, b) => a - b)
}

const partOf = (sorted: readonly number[], part: number): number => sorted[Math.floor(sorted.length * part)] ?? 0

const setUp = async (call: Harness['call']) => {
  await call('/v1/plans/free', { method: 'PUT', body: { limits: { per_day: 20 } } })
  await call('/v1/plans/large', { method: 'PUT', body: { limits: { per_day: 100_000 } } })
  await call('/v1/customers/acme', { method: 'PUT', body: { plan: 'free' } })
  await call('/v1/customers/globex', { method: 'PUT', body: { plan: 'large' } })
}

async function usageIn(call: Harness['call']): Promise<Load> {
  const usage = (await call('/v1/usage')).body.usage as unknown as Load[]
  return {
    allowed: usage.reduce((sum, { allowed }) => sum + allowed, 0),
    refused: usage.reduce((sum, { refused }) => sum + refused, 0),
  }
}

/** `RAIL_OUTAGE_SECONDS=60` is the long proof. */
const OUTAGE_SECONDS = Number(process.env.RAIL_OUTAGE_SECONDS ?? 20)

test(`a control plane that is killed for ${OUTAGE_SECONDS} s under load changes no decision and adds no latency, and all counts arrive afterwards, once`, {
  timeout: 240_000,
}, async () => {
  const [data, port] = [dataDirectory(), await freePort()]
  const start = async () => {
    const args = ['serve', '--data', data, '--port', String(port), '--sync-every', '100ms', '--json']
    const child = spawn(process.execPath, ['-C', '@rail/source', '--import', 'tsx', CLI, ...args])
    onTestFinished(() => {
      child.kill('SIGKILL')
    })
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    return { child, tokens: (JSON.parse(line.toString()) as { tokens: { admin: string; sync: string } }).tokens }
  }
  const url = `http://127.0.0.1:${port}`
  const first = await start()
  const { admin, sync } = first.tokens
  const call: Harness['call'] = async (path, { method = 'GET', body } = {}) => {
    const headers = {
      authorization: `Bearer ${admin}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const response = await fetch(url + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
  }
  await setUp(call)
  const apis = await Promise.all([startApi({ url, token: sync }), startApi({ url, token: sync })])
  for (const api of apis) await until(async () => (await api.status()).source === 'live')

  const load: Load = { allowed: 0, refused: 0 }
  const before = await askFor(apis, load, OUTAGE_SECONDS / 4)
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')
  const meanwhile = await askFor(apis, load, OUTAGE_SECONDS)
  for (const api of apis) expect((await api.status()).failures).toBeGreaterThanOrEqual(5)
  const text = (took: readonly number[]): string =>
    `p50 ${partOf(took, 0.5).toFixed(1)} ms, p99 ${partOf(took, 0.99).toFixed(1)} ms (${2 * took.length} requests)`
  console.info(`with a control plane ${text(before)}; without ${text(meanwhile)}`)
  // The machine is busy: a single wait for the control plane would cost many times as much.
  expect(partOf(meanwhile, 0.5)).toBeLessThan(partOf(before, 0.5) + 5)
  expect(partOf(meanwhile, 0.99)).toBeLessThan(partOf(before, 0.99) + 50)
  await start()
  for (const api of apis) {
    await until(async () => {
      await ask(api, load, 10)
      return (await api.status()).failures === 0
    })
  }
  await until(async () => (await usageIn(call)).allowed >= load.allowed)
  // Whatever would be counted twice comes with the last words.
  for (const api of apis) await api.stop('SIGTERM')
  expect(await usageIn(call)).toEqual(load)
  // No decision differs: of acme's requests, half of all, each server allows twenty.
  const half = (load.allowed + load.refused) / 2
  expect(load).toEqual({ allowed: half + 2 * 20, refused: half - 2 * 20 })
})

test('reports whose acknowledgement is lost on the way are counted once', async () => {
  const { call, control, syncToken: token } = await startHarness({ syncEvery: 100 })
  await setUp(call)
  // Every second answer is lost, after the request has arrived.
  const proxy = await startProxy(
    () => control.url,
    (number) => (number % 2 ? 'lose' : undefined),
  )
  const api = await startApi({ url: proxy.url, token })
  const load: Load = { allowed: 0, refused: 0 }
  while (proxy.sent.length < 6) await ask(api, load, 4)
  await until(async () => (await usageIn(call)).allowed >= load.allowed)
  await api.stop('SIGTERM')
  expect(await usageIn(call)).toEqual(load)
})

test('a proxy that compresses and strips ETags costs nothing: an unchanged sync stays under 300 bytes', async () => {
  const { call, control, syncToken: token } = await startHarness({ syncEvery: 100 })
  await setUp(call)
  const proxy = await startProxy(
    () => control.url,
    () => 'gzip',
  )
  const api = await startApi({ url: proxy.url, token })
  await until(async () => proxy.sent.length > 3)
  const unchanged = proxy.sent.filter(({ text }) => text.includes('"kind":"unchanged"'))
  expect(unchanged.length).toBeGreaterThanOrEqual(2)
  for (const { bytes, text } of unchanged) expect(Math.max(bytes, text.length)).toBeLessThan(300)
  expect((await api.ask('acme')).burst).toBe(20)
})

test('a payload that a server cannot use leaves its limits as they are, is seen in the list of servers, and is got over', async () => {
  const { call, clock, control, data, syncToken: token } = await startHarness({ syncEvery: 100 })
  await setUp(call)
  const api = await startApi({ url: control.url, token })
  await until(async () => (await api.ask('acme')).burst === 20)
  const db = await openDatabase({ directory: data, now: clock() })
  onTestFinished(() => db.close())
  // JSON has no NaN: it makes null of it.
  const poison = JSON.stringify({ limits: { per_day: Number.NaN } })
  db.transaction(() => {
    db.run('UPDATE state SET rev = rev + 1')
    db.run("UPDATE plan SET body = ?, rev = (SELECT rev FROM state) WHERE name = 'free'", poison)
  })
  const listed = async () => (await call('/v1/servers')).body.servers?.[0]
  await until(async () => (await listed())?.applyError !== null)
  expect(await listed()).toMatchObject({
    isCurrent: false,
    applyError: { message: expect.stringMatching(/plans\.free\.limits\.per_day/) },
  })
  expect((await api.ask('acme')).burst).toBe(20)
  await call('/v1/plans/free', { method: 'PUT', body: { limits: { per_day: 30 } } })
  await until(async () => (await api.ask('acme')).burst === 30)
  await until(async () => (await listed())?.applyError === null)
})

test('a database that is put back from an older copy: every server gets the older limits, under a new epoch', async () => {
  const [data, older, port] = [dataDirectory(), dataDirectory(), await freePort()]
  const clock = manualClock(START)
  const first = await startHarness({ data, clock, port, syncEvery: 100 })
  const tokens = { admin: first.adminToken, sync: first.syncToken }
  await setUp(first.call)
  await first.control.close()
  cpSync(data, older, { recursive: true })
  const second = await startHarness({ data, clock, port, syncEvery: 100, tokens })
  const api = await startApi({ url: second.control.url, token: tokens.sync })
  await second.call('/v1/plans/free', { method: 'PUT', body: { limits: { per_day: 99 } } })
  await until(async () => (await api.ask('acme')).burst === 99)
  const { epoch } = await api.status()
  await second.control.close()
  const third = await startHarness({ data: older, clock, port, syncEvery: 100, tokens })
  await until(async () => (await api.ask('acme')).burst === 20)
  expect((await api.status()).epoch).not.toBe(epoch)
  await third.control.close()
})

test('a copy that is restored and changed before the first sync is another epoch', async () => {
  const [data, older] = [dataDirectory(), dataDirectory()]
  const clock = manualClock(START)
  const first = await startHarness({ data, clock })
  const tokens = { admin: first.adminToken, sync: first.syncToken }
  await setUp(first.call)
  await first.control.close()
  cpSync(data, older, { recursive: true })
  const second = await startHarness({ data, clock, tokens })
  await second.call('/v1/plans/free', { method: 'PUT', body: { limits: { per_day: 99 } } })
  const { epoch, rev } = await second.sync()
  await second.control.close()
  clock.advance(24 * 3_600_000)
  const third = await startHarness({ data: older, clock, tokens })
  await third.call('/v1/plans/large', { method: 'PUT', body: { limits: { per_day: 100 } } })
  // The same revision again, and something else in it.
  expect(await third.sync({ have: { epoch, rev } })).toMatchObject({
    kind: 'full',
    rev,
    document: {
      plans: [
        ['free', { limits: { per_day: 20 } }],
        ['large', { limits: { per_day: 100 } }],
      ],
    },
  })
})

test('a backup may be taken while the control plane runs, and put back: servers get all of it, whatever was changed since', async () => {
  const clock = manualClock(START)
  const first = await startHarness({ clock })
  const tokens = { admin: first.adminToken, sync: first.syncToken }
  await setUp(first.call)
  const before = await first.sync()
  const restored = dataDirectory()
  await backUp(first.data, join(restored, 'control.db'), clock())
  await first.call('/v1/plans/free', { method: 'PUT', body: { limits: { per_day: 99 } } })
  const { epoch, rev } = await first.sync()
  await first.control.close()
  const second = await startHarness({ data: restored, clock, tokens })
  await second.call('/v1/plans/large', { method: 'PUT', body: { limits: { per_day: 100 } } })
  const answer = await second.sync({ have: { epoch, rev } })
  expect(answer).toMatchObject({
    kind: 'full',
    rev,
    document: {
      plans: [
        ['free', { limits: { per_day: 20 } }],
        ['large', {}],
      ],
    },
  })
  expect(answer.epoch).not.toBe(before.epoch)
})
