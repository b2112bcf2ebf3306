import type { SyncReport, SyncUsage } from '@rail/plans/sync-protocol'
import { expect, onTestFinished, test } from 'vitest'
import { keepHouse } from '../../src/records/housekeeping.js'
import { openDatabase } from '../../src/store/database.js'
import { aServer, START, startHarness } from '../support.js'

const HOUR = 3_600_000

const report = (seq: number, ...usage: SyncUsage[]): SyncReport => ({
  seq,
  lengthMs: 15_000,
  usage,
  unknown: [],
  dropped: 0,
})

test('a report is counted once, however often it comes, and acknowledged each time', async () => {
  const { sync, call } = await startHarness()
  const one = report(1, [
    'acme',
    100,
    7,
    20,
    [
      ['per_second', 5],
      ['per_minute', 3],
    ],
  ])
  for (let times = 0; times < 3; times++) expect((await sync({ report: one })).ackSeq).toBe(1)
  expect((await sync({ report: report(2, ['acme', 1, 0, 1, []]) })).ackSeq).toBe(2)
  // A late copy of the first.
  expect((await sync({ report: one })).ackSeq).toBe(2)
  expect((await call('/v1/usage')).body.usage).toEqual([
    { customer: 'acme', allowed: 101, refused: 7, peakPerSecond: 20, refusedBy: { per_minute: 3, per_second: 5 } },
  ])
})

test('reports of several servers add up, each with numbers of its own', async () => {
  const { sync, call } = await startHarness()
  for (const name of 'abc') await sync({ ...aServer(name), report: report(1, ['acme', 10, 1, 5, [['per_second', 1]]]) })
  expect((await call('/v1/usage?customer=acme')).body.usage).toMatchObject([
    { allowed: 30, refused: 3, peakPerSecond: 5 },
  ])
})

test('an answer without a report acknowledges none', async () => {
  const { sync } = await startHarness()
  expect(await sync()).not.toHaveProperty('ackSeq')
})

test('the report of a server that leaves is counted', async () => {
  const { sync, call } = await startHarness()
  expect((await sync({ leaving: true, report: report(1, ['acme', 3, 0, 3, []]) })).ackSeq).toBe(1)
  expect((await call('/v1/usage')).body.usage).toMatchObject([{ customer: 'acme', allowed: 3 }])
})

test('usage is listed with the most refusals first, and can be read by customer and time', async () => {
  const { sync, call, clock } = await startHarness()
  await sync({
    report: report(1, ['quiet', 1, 0, 1, []], ['busy', 900, 0, 90, []], ['refused', 10, 5, 5, [['per_second', 5]]]),
  })
  const customers = async (query: string) =>
    ((await call(`/v1/usage?${query}`)).body.usage as unknown as { customer: string }[]).map(({ customer }) => customer)
  expect(await customers('')).toEqual(['refused', 'busy', 'quiet'])
  expect(await customers('limit=1')).toEqual(['refused'])
  expect(await customers('customer=busy')).toEqual(['busy'])
  clock.advance(60_000)
  await sync({ report: report(2, ['quiet', 2, 9, 8, [['per_second', 9]]]) })
  expect((await call('/v1/usage?limit=1')).body.usage).toEqual([
    { customer: 'quiet', allowed: 3, refused: 9, peakPerSecond: 8, refusedBy: { per_second: 9 } },
  ])
  clock.advance(2 * HOUR)
  expect(await customers('')).toEqual([])
  expect(await customers(`from=${START}`)).toEqual(['quiet', 'refused', 'busy'])
  expect(await customers(`from=${START}&to=${START}`)).toEqual([])
})

test('usage is kept by the minute for an hour and by the hour for 32 days, then forgotten', async () => {
  const { sync, call, clock, data } = await startHarness()
  const db = await openDatabase({ directory: data, now: clock() })
  onTestFinished(() => db.close())
  await sync({ report: report(1, ['acme', 5, 0, 5, []]) })
  const rows = (table: string) => db.all(`SELECT * FROM ${table}`).length
  const after = async (ms: number) => {
    clock.advance(ms)
    await keepHouse(db, clock())
    return [rows('usage_minute'), rows('usage_hour')]
  }
  expect(await after(HOUR)).toEqual([1, 1])
  expect(await after(60_001)).toEqual([0, 1])
  expect((await call(`/v1/usage?from=${START}`)).body.usage).toMatchObject([{ customer: 'acme', allowed: 5 }])
  expect(await after(32 * 24 * HOUR)).toEqual([0, 0])
})

test('no customer name can do harm', async () => {
  const { sync, call } = await startHarness()
  for (const [index, name] of ['__proto__', "'); DROP TABLE usage_minute; --", '🎉', 'a\u0000b', '\\', '"'].entries()) {
    await sync({ report: report(index + 1, [name, 1, 1, 1, [[name, 1]]]) })
  }
  const { usage } = (await call('/v1/usage')).body
  expect(usage).toHaveLength(6)
})

test('a large report is counted in parts, all of it before anybody reads usage', async () => {
  const { sync, call } = await startHarness()
  const usage = Array.from(
    { length: 3_500 },
    (_, index): SyncUsage => [`c${index % 1_750}`, 2, 1, 2, [['per_second', 1]]],
  )
  for (let times = 0; times < 2; times++) expect((await sync({ report: report(1, ...usage) })).ackSeq).toBe(1)
  const answer = (await call('/v1/usage?limit=1000')).body.usage as unknown as { allowed: number; refused: number }[]
  expect(answer).toHaveLength(1_000)
  expect(new Set(answer.map(({ allowed, refused }) => `${allowed} ${refused}`))).toEqual(new Set(['4 2']))
})

test('reports that were stored and not yet counted before a kill are counted after the start, once', async () => {
  const { sync, data, clock, control, adminToken, syncToken } = await startHarness()
  const db = await openDatabase({ directory: data, now: clock() })
  onTestFinished(() => db.close())
  const part = JSON.stringify([['acme', 7, 1, 3, []]])
  await sync()
  await control.close()
  db.run('INSERT INTO uncounted (at, usage) VALUES (?, ?)', START, part)
  const { call } = await startHarness({ data, clock, tokens: { admin: adminToken, sync: syncToken } })
  for (let times = 0; times < 2; times++) {
    expect((await call('/v1/usage')).body.usage).toMatchObject([{ customer: 'acme', allowed: 7, refused: 1 }])
  }
})
