import { manualClock } from '@rail/core'
import { expect, test } from 'vitest'
import { aServer, dataDirectory, type Harness, START, startHarness } from '../support.js'

const SECOND = 1_000
const MINUTE = 60_000

/** Advances time with servers that sync every 15 seconds. Returns the number of servers in the last answer to each. */
async function pass({ sync, clock }: Harness, ms: number, names: string): Promise<number[]> {
  let counts: number[] = []
  for (let passed = 0; passed < ms; passed += 15 * SECOND) {
    clock.advance(Math.min(15 * SECOND, ms - passed))
    counts = []
    for (const name of names) counts.push((await sync(aServer(name))).servers)
  }
  return counts
}

async function states({ call }: Harness): Promise<Record<string, string>> {
  const { body } = await call('/v1/servers')
  const servers = body.servers as unknown as { id: string; state: string; counted: boolean }[]
  return Object.fromEntries(servers.map(({ id, state, counted }) => [id.slice(-1), `${state}${counted ? '+' : '-'}`]))
}

test('a server is counted from its first sync on', async () => {
  const { sync, call } = await startHarness()
  for (const [index, name] of [...'abcd'].entries()) expect((await sync(aServer(name))).servers).toBe(index + 1)
  expect((await sync(aServer('a'))).servers).toBe(4)
  expect((await call('/v1/servers')).body).toMatchObject({ counted: 4, setting: 'each' })
})

test('a server that vanishes counts until ten minutes after its last sync, to the millisecond', async () => {
  const harness = await startHarness()
  await harness.sync(aServer('b'))
  expect(await pass(harness, 10 * MINUTE - 1, 'a')).toEqual([2])
  expect(await states(harness)).toEqual({ a: 'running+', b: 'silent+' })
  expect(await pass(harness, 1, 'a')).toEqual([1])
  expect(await states(harness)).toEqual({ a: 'running+', b: 'gone-' })
  // Back again, it is counted at once.
  expect(await pass(harness, 1, 'ba')).toEqual([2, 2])
})

test('a server that leaves is not counted from then on, even if an older request arrives later', async () => {
  const harness = await startHarness()
  await harness.sync(aServer('a'))
  await harness.sync(aServer('b'))
  expect((await harness.sync({ ...aServer('b'), leaving: true })).servers).toBe(1)
  expect((await harness.sync(aServer('a'))).servers).toBe(1)
  expect((await harness.sync(aServer('b'))).servers).toBe(1)
  expect(await states(harness)).toEqual({ a: 'running+', b: 'left-' })
})

test('the servers that are counted survive a restart of the control plane', async () => {
  const first = await startHarness()
  for (const name of 'abcd') await first.sync(aServer(name))
  await first.control.close()
  const second = await startHarness({
    data: first.data,
    clock: first.clock,
    tokens: { admin: first.adminToken, sync: first.syncToken },
  })
  expect((await second.sync(aServer('a'))).servers).toBe(4)
})

test('time without a control plane is not silence: everybody gets two minutes to report', async () => {
  const first = await startHarness()
  for (const name of 'abcd') await first.sync(aServer(name))
  await pass(first, 9 * MINUTE, 'abc')
  await first.control.close()
  first.clock.advance(20 * MINUTE)
  const second = await startHarness({
    data: first.data,
    clock: first.clock,
    tokens: { admin: first.adminToken, sync: first.syncToken },
  })
  expect((await second.sync(aServer('a'))).servers).toBe(4)
  expect(await pass(second, 2 * MINUTE - 1, 'ab')).toEqual([4, 4])
  expect(await pass(second, 1, 'ab')).toEqual([2, 2])
})

test('a machine that slept, or whose clock was set forward, forgets no server', async () => {
  const harness = await startHarness()
  for (const name of 'abcd') await harness.sync(aServer(name))
  harness.clock.advance(60 * MINUTE)
  expect((await harness.sync(aServer('a'))).servers).toBe(4)
  expect(await pass(harness, 2 * MINUTE - 1, 'abc')).toEqual([4, 4, 4])
  expect(await pass(harness, 1, 'abc')).toEqual([3, 3, 3])
})

test('after a clock is set back no server is counted for longer than ten minutes', async () => {
  const harness = await startHarness()
  for (const name of 'ab') await harness.sync(aServer(name))
  harness.clock.advance(-24 * 60 * MINUTE)
  await harness.sync(aServer('a'))
  expect(await pass(harness, 10 * MINUTE, 'a')).toEqual([1])
})

const from = (name: string, servers: number) => ({ ...aServer(name), have: { epoch: 'another', rev: 7 }, servers })

test('after a lost database the count is what servers report, until all can have a new token', async () => {
  const harness = await startHarness()
  expect((await harness.sync(from('a', 4))).servers).toBe(4)
  harness.clock.advance(MINUTE)
  expect((await harness.sync(from('b', 5))).servers).toBe(5)
  harness.clock.advance(9 * MINUTE - 1)
  expect((await harness.sync(from('c', 4))).servers).toBe(5)
  harness.clock.advance(1)
  expect((await harness.sync(from('d', 4))).servers).toBe(4)
})

test('after a restored database the count is what servers report, until all have had time to report', async () => {
  const harness = await startHarness()
  harness.clock.advance(24 * 60 * MINUTE)
  expect((await harness.sync(from('a', 4))).servers).toBe(4)
  harness.clock.advance(MINUTE)
  expect((await harness.sync(from('b', 5))).servers).toBe(5)
  harness.clock.advance(MINUTE - 1)
  expect((await harness.sync(from('c', 4))).servers).toBe(5)
  harness.clock.advance(1)
  expect((await harness.sync(from('d', 4))).servers).toBe(4)
})

test('a count of another history is used once, not for ever', async () => {
  const harness = await startHarness()
  await harness.call('/v1/plans/free', { method: 'PUT', body: {} })
  const stale = from('a', 40)
  expect((await harness.sync(stale)).servers).toBe(40)
  for (let passed = 0; passed < 2; passed++) {
    harness.clock.advance(5 * MINUTE)
    await harness.sync(stale)
  }
  expect((await harness.sync(stale)).servers).toBe(1)
})

test('an operator may stop counting a server; if it is alive after all, it is counted again', async () => {
  const harness = await startHarness()
  for (const name of 'ab') await harness.sync(aServer(name))
  expect((await harness.call('/v1/servers/instance-b', { method: 'DELETE' })).status).toBe(204)
  expect((await harness.sync(aServer('a'))).servers).toBe(1)
  expect((await harness.sync(aServer('b'))).servers).toBe(2)
  expect((await harness.call('/v1/servers/instance-x', { method: 'DELETE' })).status).toBe(404)
})

test('two control planes on one database count the same servers and send the same limits', async () => {
  const [data, clock] = [dataDirectory(), manualClock(START)]
  const one = await startHarness({ data, clock })
  const two = await startHarness({ data, clock, tokens: { admin: one.adminToken, sync: one.syncToken } })
  expect((await one.sync(aServer('a'))).servers).toBe(1)
  expect((await two.sync(aServer('b'))).servers).toBe(2)
  expect((await one.sync(aServer('a'))).servers).toBe(2)
  for (let round = 1; round <= 5; round++) {
    const [writer, reader] = round % 2 ? [one, two] : [two, one]
    await writer.call('/v1/plans/free', { method: 'PUT', body: { limits: { per_second: round } } })
    const answer = await reader.sync(aServer('a'))
    expect(answer).toMatchObject({
      kind: 'full',
      rev: round,
      document: { plans: [['free', { limits: { per_second: round } }]] },
    })
    const delta = await writer.sync({ have: { epoch: answer.epoch, rev: round - 1 } })
    expect(delta).toMatchObject(round === 1 ? { kind: 'delta' } : { kind: 'delta', from: round - 1, rev: round })
  }
})

test('the refusal of a payload is seen in the list of servers, until the server takes one', async () => {
  const harness = await startHarness()
  const applyError = { epoch: 'e', rev: 3, message: 'plans.free.limits.per_second is not a number' }
  await harness.sync({ applyError })
  expect((await harness.call('/v1/servers')).body.servers?.[0]).toMatchObject({
    applyError,
    isCurrent: false,
    rev: null,
  })
  const { epoch, rev } = await harness.sync()
  await harness.sync({ have: { epoch, rev }, source: 'live' })
  expect((await harness.call('/v1/servers')).body.servers?.[0]).toMatchObject({
    applyError: null,
    isCurrent: true,
    rev,
    source: 'live',
  })
})
