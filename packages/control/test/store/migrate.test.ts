import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/store/database.js'
import { migrate } from '../../src/store/migrate.js'
import { MIGRATIONS, type Migration } from '../../src/store/migrations.js'
import { openSqlite, type Sqlite } from '../../src/store/sqlite.js'
import { dataDirectory, START, startHarness } from '../support.js'

const FIRST: Migration = { name: '001-first', sql: 'CREATE TABLE one (id TEXT) STRICT' }
const SECOND: Migration = { name: '002-second', sql: 'CREATE TABLE two (id TEXT) STRICT' }

async function open(
  path = join(dataDirectory(), 'test.db'),
): Promise<{ db: Sqlite; path: string; tables(): unknown[] }> {
  const db = await openSqlite(path)
  onTestFinished(() => db.close())
  const tables = () => db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all()
  return { db, path, tables: () => tables().map(({ name }) => name) }
}

test('steps are applied once, in their order, and a database in use is copied before', async () => {
  const { db, path, tables } = await open()
  migrate(db, path, START, [FIRST])
  expect(existsSync(`${path}.before-001-first`)).toBe(false)
  db.exec("INSERT INTO one VALUES ('kept')")
  migrate(db, path, START, [FIRST, SECOND])
  migrate(db, path, START, [FIRST, SECOND])
  expect(tables()).toEqual(['migration', 'one', 'two'])
  const copy = await open(`${path}.before-002-second`)
  expect(copy.tables()).toEqual(['migration', 'one'])
  expect(statSync(copy.path).mode & 0o777).toBe(0o600)
  expect(copy.db.prepare('SELECT * FROM one').all()).toEqual([{ id: 'kept' }])
})

test('a step that fails leaves nothing behind, and none of the steps with it', async () => {
  const { db, path, tables } = await open()
  const broken: Migration = { name: '002-broken', sql: 'CREATE TABLE two (id TEXT) STRICT; SELECT nonsense' }
  expect(() => migrate(db, path, START, [FIRST, broken])).toThrow(/nonsense/)
  expect(tables()).toEqual([])
  migrate(db, path, START, [FIRST, SECOND])
  expect(tables()).toEqual(['migration', 'one', 'two'])
})

test('a database that a newer version has been at, or that was changed otherwise, is not touched', async () => {
  const { db, path } = await open()
  migrate(db, path, START, [FIRST, SECOND])
  const newer = expect.objectContaining({ code: 'RAIL_NEWER_DATABASE' })
  const attempt = (steps: readonly Migration[]) => {
    try {
      migrate(db, path, START, steps)
    } catch (error) {
      return error
    }
    return undefined
  }
  expect(attempt([FIRST])).toEqual(newer)
  expect(attempt([FIRST, { ...SECOND, sql: `${SECOND.sql} ` }])).toEqual(newer)
  expect(attempt([FIRST, SECOND])).toBeUndefined()
})

test('two that start at once apply each step once', async () => {
  const directory = dataDirectory()
  const both = await Promise.all([1, 2].map(() => openDatabase({ directory, now: START })))
  for (const db of both) onTestFinished(() => db.close())
  expect(both[0]?.all('SELECT name FROM migration')).toEqual(MIGRATIONS.map(({ name }) => ({ name })))
})

test('a control plane does not start on a newer database, and names it', async () => {
  const { data, control } = await startHarness()
  await control.close()
  const { db } = await open(join(data, 'control.db'))
  db.prepare("INSERT INTO migration VALUES ('999-later', 'x', 0)").run()
  await expect(startHarness({ data })).rejects.toThrow(/999-later.*Start the version that made it/)
})
