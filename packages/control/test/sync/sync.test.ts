import { expect, onTestFinished, test } from 'vitest'
import { keepHouse } from '../../src/records/housekeeping.js'
import { openDatabase } from '../../src/store/database.js'
import { aServer, type Harness, rawPost, START, startHarness } from '../support.js'

const MINUTE = 60_000

async function withFree(options = {}): Promise<Harness> {
  const harness = await startHarness(options)
  await harness.call('/v1/plans/free', { method: 'PUT', body: { limits: { per_second: 10 } } })
  await harness.call('/v1/settings', { method: 'PATCH', body: { defaultPlan: 'free' } })
  return harness
}

test('a server that has nothing gets everything, and then nothing until something changes', async () => {
  const { call, sync } = await withFree()
  await call('/v1/customers/acme', { method: 'PUT', body: { plan: 'free', overrides: { per_second: 50 } } })
  const full = await sync()
  expect(full).toMatchObject({
    kind: 'full',
    rev: 3,
    setting: 'each',
    servers: 1,
    nextSyncMs: 15_000,
    serverTime: START,
    document: {
      defaultPlan: 'free',
      plans: [['free', { limits: { per_second: 10 } }]],
      customers: [['acme', { plan: 'free', overrides: { per_second: 50 } }]],
    },
  })
  const { epoch, rev } = full
  const unchanged = await sync({ have: { epoch, rev } })
  expect(unchanged).toMatchObject({ kind: 'unchanged', epoch, rev })
})

test('a server gets what has changed since its revision: set, changed and removed', async () => {
  const { call, sync } = await withFree()
  await call('/v1/customers/old', { method: 'PUT', body: { plan: 'free' } })
  await call('/v1/plans/unused', { method: 'PUT', body: {} })
  const { epoch, rev } = await sync()
  await call('/v1/customers/acme', { method: 'PUT', body: { plan: 'free' } })
  await call('/v1/customers/acme/overrides', { method: 'PATCH', body: { per_second: 50 } })
  await call('/v1/customers/old', { method: 'DELETE' })
  await call('/v1/plans/unused', { method: 'DELETE' })
  await call('/v1/plans/pro', { method: 'PUT', body: { limits: { per_second: 100 } } })
  expect(await sync({ have: { epoch, rev } })).toMatchObject({
    kind: 'delta',
    from: rev,
    rev: rev + 5,
    changes: {
      defaultPlan: 'free',
      plans: [['pro', { limits: { per_second: 100 } }]],
      removedPlans: ['unused'],
      customers: [['acme', { plan: 'free', overrides: { per_second: { tokens: 50, author: 'first admin' } } }]],
      removedCustomers: ['old'],
    },
  })
})

test('a customer who was removed and created again is not removed', async () => {
  const { call, sync } = await withFree()
  await call('/v1/customers/acme', { method: 'PUT', body: {} })
  const { epoch, rev } = await sync()
  await call('/v1/customers/acme', { method: 'DELETE' })
  await call('/v1/customers/acme', { method: 'PUT', body: { plan: 'free' } })
  const delta = await sync({ have: { epoch, rev } })
  expect(delta).toMatchObject({ changes: { customers: [['acme', { plan: 'free' }]], removedCustomers: [] } })
})

test('removals are forgotten after 30 days, and a server with an older revision gets everything', async () => {
  const { call, sync, clock, data } = await withFree()
  const db = await openDatabase({ directory: data, now: clock() })
  onTestFinished(() => db.close())
  const { epoch, rev } = await sync()
  await call('/v1/customers/a', { method: 'PUT', body: {} })
  await call('/v1/customers/a', { method: 'DELETE' })
  clock.advance(30 * 24 * 60 * MINUTE)
  await keepHouse(db, clock())
  expect((await sync({ have: { epoch, rev } })).kind).toBe('delta')
  clock.advance(1)
  await keepHouse(db, clock())
  expect((await sync({ have: { epoch, rev: rev + 1 } })).kind).toBe('full')
  expect((await sync({ have: { epoch, rev: rev + 2 } })).kind).toBe('unchanged')
})

test('an unchanged answer is under 300 bytes, headers and all', async () => {
  const { control, sync, syncToken } = await withFree()
  const { epoch, rev } = await sync()
  const body = JSON.stringify({
    ...aServer('a'),
    have: { epoch, rev },
    report: { seq: 1, lengthMs: 15_000, usage: [], unknown: [], dropped: 0 },
  })
  const bytes = await rawPost(control.url, '/v1/sync', syncToken, body)
  expect(bytes.toString()).toMatch(/"kind":"unchanged"/)
  expect(bytes.length).toBeLessThan(300)
})

test('a request of another version of the protocol is refused with the version that is spoken', async () => {
  const { call, syncToken } = await withFree()
  const answer = await call('/v1/sync', { method: 'POST', token: syncToken, body: { ...aServer('a'), v: 2 } })
  expect(answer.status).toBe(400)
  expect(answer.body.errors?.[0]).toMatchObject({ path: 'v', message: expect.stringMatching('1') })
})

test('fields that a newer server sends are passed over', async () => {
  const { call, syncToken } = await withFree()
  const answer = await call('/v1/sync', { method: 'POST', token: syncToken, body: { ...aServer('a'), mood: 'good' } })
  expect(answer.status).toBe(200)
})

test('a database in which nothing was ever set does not replace what servers have', async () => {
  const { sync, call } = await startHarness()
  const have = { epoch: 'another-history', rev: 41 }
  const report = { seq: 1, lengthMs: 15_000, usage: [], unknown: ['acme'], dropped: 0 }
  expect(await sync({ have, report })).toMatchObject({ kind: 'unchanged', ...have, ackSeq: 1 })
  expect(await sync({ have, servers: 1 })).toMatchObject({ kind: 'unchanged', ...have, setting: 'each' })
  expect(await sync({ have, servers: 4, setting: 'split' })).toMatchObject({ kind: 'unchanged', setting: 'split' })
  expect(await sync()).toMatchObject({ kind: 'full', rev: 0, document: { plans: [], customers: [] } })
  await call('/v1/plans/free', { method: 'PUT', body: {} })
  expect(await sync({ have, servers: 1 })).toMatchObject({ kind: 'full', rev: 1 })
})

test('customers that a server sees for the first time are stored, and are in the same answer', async () => {
  const { call, sync } = await withFree()
  const { epoch, rev } = await sync()
  const report = { seq: 1, lengthMs: 15_000, usage: [], unknown: ['new', 'new', 'x'.repeat(1_025)], dropped: 0 }
  expect(await sync({ have: { epoch, rev }, report })).toMatchObject({
    kind: 'delta',
    changes: { customers: [['new', {}]] },
  })
  expect((await call('/v1/customers/new')).body).toMatchObject({
    plan: null,
    effective: { plan: 'free', planFrom: 'default' },
  })
  // Another server that sees the same customer changes nothing.
  const again = await sync({ ...aServer('b'), have: { epoch, rev: rev + 1 }, report })
  expect(again).toMatchObject({ kind: 'unchanged', rev: rev + 1 })
})

test('a customer who was removed and is seen again is stored again', async () => {
  const { call, sync } = await withFree()
  await call('/v1/customers/acme', { method: 'PUT', body: { plan: 'free' } })
  const { epoch, rev } = await sync()
  await call('/v1/customers/acme', { method: 'DELETE' })
  const report = { seq: 1, lengthMs: 15_000, usage: [], unknown: ['acme'], dropped: 0 }
  const delta = await sync({ have: { epoch, rev }, report })
  expect(delta).toMatchObject({ changes: { customers: [['acme', {}]], removedCustomers: [] } })
})

test('a server that could not use a delta gets the changes since, the next time', async () => {
  const { call, sync } = await withFree()
  const { epoch, rev } = await sync()
  for (const tokens of [20, 30]) {
    await call('/v1/plans/free', { method: 'PUT', body: { limits: { per_second: tokens } } })
    const delta = await sync({ have: { epoch, rev } })
    expect(delta).toMatchObject({ from: rev, changes: { plans: [['free', { limits: { per_second: tokens } }]] } })
  }
})

test('gzip is sent to servers that accept it, and plain JSON to others', async () => {
  const { call, syncToken, control } = await withFree()
  const text = ['id', ...Array.from({ length: 100 }, (_, index) => `customer-${index}`)].join('\n')
  await call('/v1/customers.csv', { method: 'POST', body: text })
  const post = (encoding: string, have?: object) =>
    rawPost(
      control.url,
      '/v1/sync',
      syncToken,
      JSON.stringify({ ...aServer('a'), have }),
      `Accept-Encoding: ${encoding}\r\n`,
    )
  const plain = await post('identity')
  expect(plain.toString()).toMatch(/"customer-99"/)
  expect(plain.toString()).not.toMatch(/content-encoding/i)
  const { epoch } = JSON.parse(plain.toString().split('\r\n\r\n')[1] as string) as { epoch: string }
  for (const have of [undefined, { epoch, rev: 2 }]) {
    expect((await post('br, gzip', have)).toString()).toMatch(/content-encoding: gzip/i)
    expect((await post('gzip;q=0', have)).toString()).not.toMatch(/content-encoding/i)
  }
})
