import { manualClock } from '@rail/core'
import { expect, onTestFinished, test } from 'vitest'
import { addToken } from '../../src/access/tokens.js'
import { createApp } from '../../src/http/app.js'
import { createCounting } from '../../src/records/reports.js'
import { type Database, openDatabase } from '../../src/store/database.js'
import { startState } from '../../src/store/state.js'
import { createSyncDesk } from '../../src/sync/sync-desk.js'
import { aServer, dataDirectory, START } from '../support.js'

/** A control plane put together here, because only the connection that writes can be given a quota. */
async function withQuota() {
  const clock = manualClock(START)
  const db = await openDatabase({ directory: dataDirectory(), now: clock() })
  startState(db, clock())
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const counting = createCounting(db, onError)
  const desk = createSyncDesk({ db, clock, syncMs: 15_000, counting, onFault: onError })
  const app = createApp({ db, clock, counting, onError, desk })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(async () => {
    await app.close()
    db.close()
  })
  const by = { author: 'test', at: START }
  const tokens = { admin: addToken(db, 'admin', 'a', by).token, sync: addToken(db, 'sync', 's', by).token }
  const call = async (method: string, path: string, body?: object, token = tokens.admin) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const sync = (more: object) => call('POST', '/v1/sync', { ...aServer('a'), ...more }, tokens.sync)
  return { db, clock, call, sync, errors }
}

/** The disk has room for the files it has and nothing more. */
function fill(db: Database): void {
  const [size] = db.all<{ page_count: number }>('PRAGMA page_count')
  db.all(`PRAGMA max_page_count = ${size?.page_count}`)
  for (let number = 0; ; number++) {
    try {
      db.run('INSERT INTO setting VALUES (?, ?, 0)', `filler-${number}`, 'x'.repeat(200))
    } catch {
      return
    }
  }
}

const report = (seq: number) => ({
  seq,
  lengthMs: 15_000,
  usage: Array.from({ length: 200 }, (_, index) => [`customer-${index}-${'x'.repeat(100)}`, 1, 0, 1, []]),
  unknown: [],
  dropped: 0,
})

test('on a full disk servers are answered as ever, and their reports are taken once there is room again', async () => {
  const { db, call, sync, errors } = await withQuota()
  await call('PUT', '/v1/plans/free', { limits: { per_second: 10 } })
  for (const name of 'abcd') await sync(aServer(name))
  fill(db)
  for (let times = 0; times < 2; times++) {
    const answer = await sync({ report: report(1) })
    expect(answer).toMatchObject({ status: 200, body: { kind: 'full', servers: 4 } })
    expect(answer.body).not.toHaveProperty('ackSeq')
  }
  expect(errors).toHaveLength(2)
  db.all('PRAGMA max_page_count = 1000000')
  expect((await sync({ report: report(1) })).body).toMatchObject({ ackSeq: 1 })
  const { body } = await call('GET', '/v1/usage?limit=1')
  expect(body).toMatchObject({ usage: [{ allowed: 1 }] })
})

test('on a full disk a change is refused and nothing of it is stored', async () => {
  const { db, call, errors } = await withQuota()
  await call('PUT', '/v1/plans/free', { limits: { per_second: 10 } })
  fill(db)
  const limits = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`limit-${index}`, { tokens: 1, per: '1s' }]),
  )
  // Large in the database. No request has the limits of two scopes.
  const scopes = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`scope-${index}`, limits]))
  expect(await call('PUT', '/v1/plans/free', { limits, scopes })).toMatchObject({
    status: 507,
    body: { code: 'storage' },
  })
  expect((await call('GET', '/v1/plans/free')).body).toMatchObject({ rev: 1, limits: { per_second: 10 } })
  expect((await call('GET', '/v1/changes?kind=plan')).body).toMatchObject({ changes: [{ rev: 1 }] })
  expect(errors).toHaveLength(1)
  db.all('PRAGMA max_page_count = 1000000')
  expect(await call('PUT', '/v1/plans/free', { limits, scopes })).toMatchObject({ status: 200, body: { rev: 2 } })
})

test('a database that another process has locked answers reads, and refuses changes until it is free', async () => {
  const { db, call } = await withQuota()
  await call('PUT', '/v1/plans/free', { limits: { per_second: 10 } })
  const [file] = db.all<{ file: string }>('PRAGMA database_list')
  const other = await openDatabase({ directory: file?.file.replace(/\/[^/]*$/, '') as string, now: START })
  onTestFinished(() => other.close())
  let status = 0
  const blocked = other.all('BEGIN IMMEDIATE')
  expect(blocked).toEqual([])
  status = (await call('PUT', '/v1/plans/free', { limits: { per_second: 20 } })).status
  expect(status).toBe(503)
  expect((await call('GET', '/v1/plans/free')).status).toBe(200)
  other.all('ROLLBACK')
  expect((await call('PUT', '/v1/plans/free', { limits: { per_second: 20 } })).status).toBe(200)
})
