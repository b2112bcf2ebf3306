import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Problem } from '../base/problem.js'
import { isStorable, NOT_STORABLE } from '../base/storable.js'
import { migrate } from './migrate.js'
import { openSqlite, type Sqlite, type SqliteDriver, type SqlValue } from './sqlite.js'

/** The file in the data directory that holds everything. */
export const FILE_NAME = 'control.db'

/** A row, by column. */
export type Row = Readonly<Record<string, SqlValue>>

/**
 * The control plane's database: one connection that writes, statements prepared once, whole transactions. A text that would
 * not be the same when it is read again is refused with the Problem `invalid`.
 */
export interface Database {
  /** The rows of a query, all of them. */
  all<R = Row>(sql: string, ...values: SqlValue[]): R[]
  /** The first row of a query. */
  first<R = Row>(sql: string, ...values: SqlValue[]): R | undefined
  /** Runs a statement that gives no rows; returns how many it changed. */
  run(sql: string, ...values: SqlValue[]): number
  /**
   * Runs a function as one transaction that holds the write lock from its start: what it does is stored whole, or not at
   * all when it throws. The function must not wait for anything. Inside a transaction it joins it.
   */
  transaction<Result>(work: () => Result): Result
  /**
   * A connection of its own that sees the database as it is now, whatever is written meanwhile, until it is closed: for a
   * long read in parts.
   */
  snapshot(): Promise<Reader>
  close(): void
}

/** A view of the database at one moment. */
export type Reader = Pick<Database, 'all' | 'first' | 'close'>

/** How to open a database. */
export interface DatabaseOptions {
  /** The data directory; made where it is not there, for the owner alone. */
  readonly directory: string
  readonly driver?: SqliteDriver | undefined
  /** The time, for the record of migrations. */
  readonly now: number
}

/**
 * Opens the database of a data directory, and brings its schema up to date. Several processes of one machine may have it
 * open; a network file system is no place for it.
 *
 * @throws RailError `RAIL_NO_SQLITE`, `RAIL_NEWER_DATABASE`; the system's error for a directory that cannot be written
 */
export async function openDatabase({ directory, driver, now }: DatabaseOptions): Promise<Database> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, FILE_NAME)
  const connection = await openSqlite(path, driver)
  try {
    chmodSync(path, 0o600)
    // Another control plane may be at the same migration, and that may take a while.
    connection.exec('PRAGMA busy_timeout = 30000')
    // Readers and the writer do not wait for each other. A loss of power may lose the last commits, never the database.
    connection.prepare('PRAGMA journal_mode = WAL').all()
    connection.exec('PRAGMA synchronous = NORMAL')
    migrate(connection, path, now)
    // From here on a wait stops all of this process. Writes of other control planes take some milliseconds.
    connection.exec('PRAGMA busy_timeout = 1000')
  } catch (error) {
    connection.close()
    throw error
  }
  const query = queries(connection)
  let open = false
  return {
    ...query,
    transaction: (work) => {
      if (open) return work()
      connection.exec('BEGIN IMMEDIATE')
      open = true
      try {
        const result = work()
        connection.exec('COMMIT')
        return result
      } catch (error) {
        rollBack(connection)
        throw error
      } finally {
        open = false
      }
    },
    snapshot: async () => {
      const reader = await openSqlite(path, driver)
      reader.exec('PRAGMA busy_timeout = 1000')
      reader.exec('BEGIN')
      return queries(reader)
    },
  }
}

function queries(connection: Sqlite): Pick<Database, 'all' | 'first' | 'run' | 'close'> {
  const prepared = new Map<string, ReturnType<Sqlite['prepare']>>()
  const statement = (sql: string): ReturnType<Sqlite['prepare']> => {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    const made = connection.prepare(sql)
    prepared.set(sql, made)
    return made
  }
  return {
    // The caller names the row's type beside the columns it asks for; SQLite's STRICT tables hold them to it.
    all: <R>(sql: string, ...values: SqlValue[]) => statement(sql).all(...storable(values)) as R[],
    first: <R>(sql: string, ...values: SqlValue[]) => statement(sql).all(...storable(values))[0] as R | undefined,
    run: (sql, ...values) => statement(sql).run(...storable(values)).changes,
    close: () => connection.close(),
  }
}

/** @throws Problem `invalid` */
function storable(values: readonly SqlValue[]): readonly SqlValue[] {
  for (const value of values) {
    if (typeof value === 'string' && !isStorable(value)) throw new Problem('invalid', NOT_STORABLE)
  }
  return values
}

function rollBack(connection: Sqlite): void {
  try {
    connection.exec('ROLLBACK')
  } catch {
    // A full disk may have rolled it back already; what matters to the caller is the first error.
  }
}
