import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Problem } from '../base/problem.js'
import { isStorable, NOT_STORABLE } from '../base/storable.js'
import { migrate } from './migrate.js'
import { openSqlite, type Sqlite, type SqliteDriver, type SqlValue } from './sqlite.js'

/** The file in the data directory that holds everything. */
export const FILE_NAME = 'control.db'

/** The log beside the file is cut to this length when its content has been written back. */
const MOST_LOG_BYTES = 2 ** 24

/** A row, by column. */
export type Row = Readonly<Record<string, SqlValue>>

/**
 * The control plane's database: one connection that writes, statements prepared once, whole transactions. A string that
 * SQLite would change is refused with the Problem `invalid`.
 */
export interface Database {
  /** The rows of a query, all of them. */
  all<R = Row>(sql: string, ...values: SqlValue[]): R[]
  /** The first row of a query. */
  first<R = Row>(sql: string, ...values: SqlValue[]): R | undefined
  /** Runs a statement without rows. Returns how many rows it changed. */
  run(sql: string, ...values: SqlValue[]): number
  /**
   * Runs a function as one transaction that has the write lock from its start. All of its changes are stored, or none when
   * it throws. The function must be synchronous. Inside a transaction it is part of that one.
   */
  transaction<Result>(work: () => Result): Result
  /** A connection of its own that sees the database as it is now until it is closed: for a long read in parts. */
  snapshot(): Promise<Reader>
  close(): void
}

/** A view of the database at one moment. */
export type Reader = Pick<Database, 'all' | 'first' | 'close'>

/** How to open a database. */
export interface DatabaseOptions {
  /** The data directory. It is created if missing, for its owner only. */
  readonly directory: string
  readonly driver?: SqliteDriver | undefined
  /** The time, for the record of migrations. */
  readonly now: number
}

/**
 * Opens the database of a data directory, and brings its schema up to date. Several processes of one machine may have it
 * open. It must not be on a network file system.
 *
 * @throws RailError `RAIL_NO_SQLITE`, `RAIL_NEWER_DATABASE`; the system's error for a directory that cannot be written
 */
export async function openDatabase({ directory, driver, now }: DatabaseOptions): Promise<Database> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, FILE_NAME)
  const connection = await openSqlite(path, driver)
  try {
    chmodSync(path, 0o600)
    // Another control plane may be running the same migration, which may take a while.
    connection.exec('PRAGMA busy_timeout = 30000')
    // Readers and the writer do not wait for each other. A power failure may lose the last commits, never the database.
    connection.prepare('PRAGMA journal_mode = WAL').all()
    connection.exec('PRAGMA synchronous = NORMAL')
    connection.exec(`PRAGMA journal_size_limit = ${MOST_LOG_BYTES}`)
    migrate(connection, path, now)
    // From here on a wait blocks the whole process. Writes of other control planes take a few milliseconds.
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
      return {
        ...queries(reader),
        close: () => {
          // A driver may close a connection late. A transaction that is open until then keeps the log from being written back.
          rollBack(reader)
          reader.close()
        },
      }
    },
    close: () => {
      // The file alone is then the whole database, for whoever copies it.
      attempt(() => connection.exec('PRAGMA wal_checkpoint(TRUNCATE)'))
      connection.close()
    },
  }
}

function queries(connection: Sqlite): Pick<Database, 'all' | 'first' | 'run' | 'close'> {
  const prepared = new Map<string, ReturnType<Sqlite['prepare']>>()
  const statementFor = (sql: string): ReturnType<Sqlite['prepare']> => {
    const before = prepared.get(sql)
    if (before !== undefined) return before
    const statement = connection.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }
  return {
    // The caller names the row's type beside its columns. SQLite's STRICT tables enforce the types.
    all: <R>(sql: string, ...values: SqlValue[]) => statementFor(sql).all(...storable(values)) as R[],
    first: <R>(sql: string, ...values: SqlValue[]) => statementFor(sql).all(...storable(values))[0] as R | undefined,
    run: (sql, ...values) => statementFor(sql).run(...storable(values)).changes,
    close: () => connection.close(),
  }
}

/** @throws Problem `invalid` */
function storable(values: readonly SqlValue[]): readonly SqlValue[] {
  for (const value of values) {
    if (typeof value === 'string' && !isStorable(value))
      throw new Problem('invalid', `A value of the request: ${NOT_STORABLE}`)
  }
  return values
}

function rollBack(connection: Sqlite): void {
  // A full disk may have rolled it back already. The caller needs the first error.
  attempt(() => connection.exec('ROLLBACK'))
}

function attempt(work: () => void): void {
  try {
    work()
  } catch {
    // It was not needed, or another connection is in the way.
  }
}
