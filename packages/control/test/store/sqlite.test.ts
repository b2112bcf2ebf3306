import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/store/database.js'
import { openSqlite, type Sqlite, type SqliteDriver, sqliteFault } from '../../src/store/sqlite.js'
import { dataDirectory, START } from '../support.js'

const builtin = process.getBuiltinModule as ((id: string) => unknown) | undefined
const drivers: SqliteDriver[] = builtin?.('node:sqlite') ? ['libsql', 'node'] : ['libsql']

describe.each(drivers)('the driver %s', (driver) => {
  async function open(path = join(dataDirectory(), 'test.db')): Promise<{ db: Sqlite; path: string }> {
    const db = await openSqlite(path, driver)
    onTestFinished(() => db.close())
    return { db, path }
  }

  test('returns plain rows, also of statements that change something', async () => {
    const { db } = await open()
    db.exec('CREATE TABLE thing (id TEXT PRIMARY KEY, number INTEGER) STRICT')
    expect(db.prepare('INSERT INTO thing VALUES (?, ?) RETURNING id, number').all('a', 2 ** 53 - 1)).toEqual([
      { id: 'a', number: 2 ** 53 - 1 },
    ])
    expect(db.prepare('INSERT INTO thing VALUES (?, ?)').run('b', null)).toMatchObject({ changes: 1 })
    expect(db.prepare('SELECT * FROM thing ORDER BY id').all()).toEqual([
      { id: 'a', number: 2 ** 53 - 1 },
      { id: 'b', number: null },
    ])
    expect(db.prepare('SELECT * FROM thing WHERE id = ?').all('c')).toEqual([])
  })

  test('commits after rows were read and after a statement failed', async () => {
    const { db } = await open()
    db.exec('CREATE TABLE thing (id TEXT PRIMARY KEY) STRICT')
    const insert = db.prepare('INSERT INTO thing VALUES (?) RETURNING id')
    db.exec('BEGIN IMMEDIATE')
    insert.all('a')
    expect(() => insert.all('a')).toThrow(/UNIQUE/)
    db.prepare('SELECT 1').all()
    db.exec('COMMIT')
    expect(db.prepare('SELECT * FROM thing').all()).toEqual([{ id: 'a' }])
  })

  test('tells a full disk, a lock and other errors apart', async () => {
    const { db, path } = await open()
    db.exec('CREATE TABLE thing (id TEXT) STRICT')
    const faultOf = (work: () => unknown) => {
      try {
        work()
      } catch (error) {
        return sqliteFault(error)
      }
      return 'none'
    }
    expect(faultOf(() => db.exec('SELECT nothing'))).toBe('other')
    const other = await openSqlite(path, driver)
    other.exec('BEGIN IMMEDIATE')
    expect(faultOf(() => db.exec('BEGIN IMMEDIATE'))).toBe('busy')
    other.exec('ROLLBACK')
    other.close()
    db.prepare('PRAGMA max_page_count = 3').all()
    expect(faultOf(() => db.prepare('INSERT INTO thing VALUES (?)').run('x'.repeat(100_000)))).toBe('full')
    expect(sqliteFault(new Error('something'))).toBeUndefined()
    expect(sqliteFault(undefined)).toBeUndefined()
  })

  test('reads one moment of a database while it is written to', async () => {
    const db = await openDatabase({ directory: dataDirectory(), driver, now: START })
    onTestFinished(() => db.close())
    db.run("INSERT INTO setting VALUES ('a', '1', 1)")
    const reader = await db.snapshot()
    onTestFinished(() => reader.close())
    const read = () => reader.all<{ value: string }>('SELECT value FROM setting').map(({ value }) => value)
    expect(read()).toEqual(['1'])
    db.run("UPDATE setting SET value = '2'")
    expect(read()).toEqual(['1'])
    expect(db.all('SELECT value FROM setting')).toEqual([{ value: '2' }])
  })

  test('makes a transaction whole or not at all, and an inner one part of the outer', async () => {
    const db = await openDatabase({ directory: dataDirectory(), driver, now: START })
    onTestFinished(() => db.close())
    const names = () => db.all<{ name: string }>('SELECT name FROM setting ORDER BY name').map(({ name }) => name)
    const put = (name: string) => db.run('INSERT INTO setting VALUES (?, NULL, 1)', name)
    expect(() =>
      db.transaction(() => {
        db.transaction(() => put('a'))
        throw new Error('no')
      }),
    ).toThrow('no')
    expect(names()).toEqual([])
    db.transaction(() => db.transaction(() => put('b')))
    expect(names()).toEqual(['b'])
  })
})
