import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { keepHouse } from '../../src/records/housekeeping.js'
import { type Database, openDatabase } from '../../src/store/database.js'
import { readState, startState } from '../../src/store/state.js'
import { gzipPrefix, withEnd } from '../../src/sync/gzip-prefix.js'
import { createSnapshots } from '../../src/sync/snapshot.js'
import { aServer, dataDirectory, START, startHarness } from '../support.js'

test('a compressed beginning and any end make one gzip member that unpacks to both', async () => {
  const pieces = fc.array(fc.string({ unit: 'grapheme', maxLength: 2_000 }), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(pieces, fc.string(), async (parts, end) => {
      async function* given() {
        yield* parts
      }
      const whole = withEnd(await gzipPrefix(given()), end)
      expect(gunzipSync(whole).toString()).toBe(parts.join('') + end)
      // A second member would begin with the magic number again.
      expect(whole.indexOf(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]), 1)).toBe(-1)
    }),
    { seed: 1, numRuns: 100 },
  )
})

/** A database that counts how often everything is read. */
async function counting(customers: number): Promise<{ db: Database; builds: () => number; change(): void }> {
  const opened = await openDatabase({ directory: dataDirectory(), now: START })
  onTestFinished(() => opened.close())
  startState(opened, START)
  let builds = 0
  const db: Database = {
    ...opened,
    snapshot: () => {
      builds += 1
      return opened.snapshot()
    },
  }
  db.transaction(() => {
    for (let index = 0; index < customers; index++) {
      db.run('INSERT INTO customer (id, rev, changed_at) VALUES (?, 1, 0)', `c${String(index).padStart(6, '0')}`)
    }
    db.run('UPDATE state SET rev = 1')
  })
  const change = () => {
    db.run('UPDATE state SET rev = rev + 1')
    db.run("UPDATE customer SET rev = (SELECT rev FROM state) WHERE id = 'c000000'")
  }
  return { db, builds: () => builds, change }
}

const read = (gzip: Buffer) =>
  JSON.parse(gunzipSync(gzip).toString()) as { rev: number; document: { customers: [string, object][] } }

test('everything is built once per revision, however many servers sync at once', async () => {
  const { db, builds, change } = await counting(2_500)
  const snapshotFor = createSnapshots(db)
  const ask = async () => {
    const asked = Array.from({ length: 50 }, () => snapshotFor(readState(db)))
    return new Set(await Promise.all(asked))
  }
  expect((await ask()).size).toBe(1)
  expect((await ask()).size).toBe(1)
  expect(builds()).toBe(1)
  change()
  const [latest] = await ask()
  expect(builds()).toBe(2)
  const { rev, document } = read(withEnd(latest as Parameters<typeof withEnd>[0], '"x":1}'))
  expect(rev).toBe(2)
  expect(document.customers.map(([id]) => id)).toEqual(
    Array.from({ length: 2_500 }, (_, index) => `c${String(index).padStart(6, '0')}`),
  )
})

test('a change during the building of everything is in answers to later requests', async () => {
  const { db, change } = await counting(2_500)
  const snapshotFor = createSnapshots(db)
  const before = snapshotFor(readState(db))
  // The first pages have been read by now.
  await new Promise((resolve) => setImmediate(resolve))
  change()
  const after = snapshotFor(readState(db))
  expect([(await before).rev, (await after).rev]).toEqual([1, 2])
})

test('with many customers, everything as of a few changes ago is sent, and the rest a second later', async () => {
  const { call, sync } = await startHarness()
  await call('/v1/plans/free', { method: 'PUT', body: { limits: { per_second: 10 } } })
  const ids = Array.from({ length: 5_001 }, (_, index) => `c${index}`)
  await call('/v1/customers.csv', { method: 'POST', body: `id\n${ids.join('\n')}` })
  const first = await sync()
  expect(first).toMatchObject({ kind: 'full', nextSyncMs: 15_000 })
  await call('/v1/customers/c7/overrides', { method: 'PATCH', body: { per_second: 50 } })
  const late = await sync(aServer('b'))
  expect(late).toMatchObject({ kind: 'full', rev: first.rev, nextSyncMs: 1_000 })
  const { epoch, rev } = late
  const rest = await sync({ ...aServer('b'), have: { epoch, rev } })
  expect(rest).toMatchObject({ kind: 'delta', rev: rev + 1, nextSyncMs: 15_000, changes: { customers: [['c7', {}]] } })
})

test('everything is never of a revision whose changes are forgotten: a server would get it again for ever', async () => {
  const { call, sync, clock, data } = await startHarness()
  const db = await openDatabase({ directory: data, now: clock() })
  onTestFinished(() => db.close())
  await call('/v1/plans/free', { method: 'PUT', body: { limits: { per_second: 10 } } })
  const ids = Array.from({ length: 5_001 }, (_, index) => `c${index}`)
  await call('/v1/customers.csv', { method: 'POST', body: `id\n${ids.join('\n')}` })
  await sync()
  await call('/v1/customers/c7', { method: 'DELETE' })
  await call('/v1/customers/c8/overrides', { method: 'PATCH', body: { per_second: 50 } })
  clock.advance(31 * 24 * 60 * 60_000)
  await keepHouse(db, clock())
  let { epoch, rev, kind } = await sync(aServer('b'))
  expect(kind).toBe('full')
  for (let answers = 0; answers < 2; answers++) {
    ;({ epoch, rev, kind } = await sync({ ...aServer('b'), have: { epoch, rev } }))
    expect(kind).not.toBe('full')
  }
  expect([kind, rev]).toEqual(['unchanged', readState(db).rev])
})

test('a server that is more than 5,000 changes behind gets everything instead of a delta', async () => {
  const { call, sync } = await startHarness()
  await call('/v1/plans/free', { method: 'PUT', body: {} })
  const { epoch, rev } = await sync()
  const ids = Array.from({ length: 5_001 }, (_, index) => `c${index}`)
  await call('/v1/customers.csv', { method: 'POST', body: `id\n${ids.join('\n')}` })
  expect((await sync({ have: { epoch, rev } })).kind).toBe('full')
  const delta = await sync({ have: { epoch, rev: rev + 1 } })
  expect(delta.kind === 'delta' && delta.changes.customers.length).toBe(5_000)
})
