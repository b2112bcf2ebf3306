import { RailError } from '@rail/core'

/** A value of a statement or a row: no blobs (drivers differ there) and no whole numbers above 2^53 - 1. */
export type SqlValue = string | number | null

/** A statement, prepared once. */
export interface Statement {
  /** Runs a statement with rows, to its end. */
  all(...values: SqlValue[]): Record<string, SqlValue>[]
  /** Runs a statement without rows. `changes` is the number of rows it changed. */
  run(...values: SqlValue[]): { readonly changes: number }
}

/**
 * A connection to SQLite, as far as Rail needs one: what our SQL needs of a driver.
 *
 * There is no `get`: that of libsql leaves the statement open, so that the next commit fails, and adds a field to the row.
 */
export interface Sqlite {
  /** Runs statements without values. */
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
}

/** Which driver: the one in Node (22.13 and later), or `libsql`, whose binary comes with its package. */
export type SqliteDriver = 'node' | 'libsql'

/**
 * Opens a file, and creates it if it does not exist.
 *
 * @param driver @default Node's own where Node has one, else libsql
 * @throws RailError `RAIL_NO_SQLITE` if there is no driver; the driver's error for a file it cannot open
 */
export async function openSqlite(path: string, driver?: SqliteDriver): Promise<Sqlite> {
  const node = driver === 'libsql' ? undefined : nodeSqlite()
  const Database = node ?? (driver === 'node' ? undefined : await libsql())
  if (Database === undefined) {
    throw new RailError(
      'RAIL_NO_SQLITE',
      `SQLite: expected Node 22.13 or later, or the package "libsql", got Node ${process.versions.node} without it. Install libsql, an optional dependency of @rail/control.`,
    )
  }
  return new Database(path)
}

/** Why a statement failed, as far as a caller can do something about it. */
export type SqliteFault = 'full' | 'busy' | 'read-only' | 'other'

const FAULTS: Readonly<Record<number, SqliteFault>> = { 5: 'busy', 8: 'read-only', 10: 'full', 13: 'full' }

/** The fault behind an error of either driver, `undefined` if the error is not SQLite's. An I/O error counts as full. */
export function sqliteFault(error: unknown): SqliteFault | undefined {
  const { errcode, rawCode } = Object(error) as { errcode?: unknown; rawCode?: unknown }
  const code = errcode ?? rawCode
  // The low byte is SQLite's primary result code: https://www.sqlite.org/rescode.html
  return typeof code === 'number' ? (FAULTS[code & 0xff] ?? 'other') : undefined
}

type DatabaseClass = new (path: string) => Sqlite

function nodeSqlite(): DatabaseClass | undefined {
  // Not an import: bundlers remove the `node:`, and there is no module `sqlite`. Node before 22.3 has no such function.
  const builtin = process.getBuiltinModule as ((id: string) => { DatabaseSync: DatabaseClass } | undefined) | undefined
  return builtin?.('node:sqlite')?.DatabaseSync
}

async function libsql(): Promise<DatabaseClass | undefined> {
  try {
    const { default: Database } = await import('libsql')
    return Database as unknown as DatabaseClass
  } catch {
    return undefined
  }
}
