import type { Database, Row } from '../store/database.js'
import { nextRev } from '../store/state.js'
import type { Change } from './record-schemas.js'

/** Who changes something, and when. */
export interface Author {
  readonly author: string
  readonly at: number
}

/** The kind of thing that was changed. */
export type Kind = Change['kind']

/** One change for the history. */
export interface ChangeEntry extends Author {
  readonly kind: Kind
  readonly id: string
  readonly before: unknown
  readonly after: unknown
}

/**
 * Makes a change in a transaction: takes the next revision, calls `store` with it, and adds the change to the history.
 * Returns the revision, or `undefined` if nothing is different.
 */
export function change(db: Database, entry: ChangeEntry, store: (rev: number) => void): number | undefined {
  if (JSON.stringify(entry.before) === JSON.stringify(entry.after)) return undefined
  const rev = nextRev(db)
  store(rev)
  note(db, rev, entry)
  return rev
}

/** Adds a change to the history that is not sent to servers. */
export function note(db: Database, rev: number, { at, author, kind, id, before, after }: ChangeEntry): void {
  db.run(
    'INSERT INTO history (rev, at, author, kind, id, before, after) VALUES (?, ?, ?, ?, ?, ?, ?)',
    rev,
    at,
    author,
    kind,
    id,
    textOf(before),
    textOf(after),
  )
}

/** Which part of the history to read. */
export interface HistoryQuery {
  readonly kind?: Kind | undefined
  readonly id?: string | undefined
  /** Only changes before this number. @default the latest */
  readonly before?: number | undefined
  readonly limit: number
}

/** The history, latest change first. */
export function history(db: Database, { kind, id, before, limit }: HistoryQuery): Change[] {
  return db
    .all(
      `SELECT number, rev, at, author, kind, id, before, after FROM history
       WHERE (?1 IS NULL OR kind = ?1) AND (?2 IS NULL OR id = ?2) AND (?3 IS NULL OR number < ?3)
       ORDER BY number DESC LIMIT ?4`,
      kind ?? null,
      id ?? null,
      before ?? null,
      limit,
    )
    .map(changeOf)
}

function changeOf(row: Row): Change {
  return { ...row, before: parsed(row.before), after: parsed(row.after) } as Change
}

function textOf(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value)
}

function parsed(text: Row[string] | undefined): unknown {
  return typeof text === 'string' ? JSON.parse(text) : null
}
