import { randomBytes } from 'node:crypto'
import type { Database, Reader } from './database.js'

/** The state of plans and customers in the database. */
export interface State {
  /** A random string. Another epoch is another history. */
  readonly epoch: string
  /** Grows by one with each change. 0: nothing was ever set. */
  readonly rev: number
  /** A server with this revision or a later one can get the difference. A server with an older one needs everything. */
  readonly forgottenRev: number
}

/** How often servers sync, in milliseconds. */
export const SYNC_MS = 15_000
/** How long a silent server is counted, in milliseconds. */
export const COUNTED_MS = 600_000
/** After this long without a control plane, silence of a server means nothing: it could not report. In milliseconds. */
export const ABSENT_MS = 60_000
/** The longest interval between syncs, in milliseconds: several fit in the time that a silent server is counted. */
export const LONGEST_SYNC_MS = 60_000
/**
 * How long servers have to report after that: two tries. Tries are at most a minute apart: the longest interval, and the
 * wait of a server after an error. In milliseconds.
 */
export const LEARNING_MS = 120_000
/** A database is new for this long: servers may know more than it does. In milliseconds. */
export const NEW_MS = 86_400_000

/** Reads the state. */
export function readState(db: Reader): State {
  const state = db.first<State>('SELECT epoch, rev, forgotten_rev AS forgottenRev FROM state')
  if (state === undefined) throw new Error('The database has no state: startState was not called.')
  return state
}

/**
 * Creates the state of a new database. After a minute without a control plane the epoch is renewed: the database may be an
 * older copy that was restored, where the same revision has another content than on the servers.
 */
export function startState(db: Database, now: number): void {
  db.transaction(() => {
    const row = db.first<{ aliveAt: number }>('SELECT alive_at AS aliveAt FROM state')
    if (row === undefined) db.run('INSERT INTO state VALUES (1, ?, 0, 0, ?, ?)', newEpoch(), now, now)
    else if (Math.abs(now - row.aliveAt) > ABSENT_MS) renewEpoch(db)
    beat(db, now)
  })
}

/** Starts another epoch: every server gets everything. For a server that knows more than the database. */
export function renewEpoch(db: Database): void {
  db.run('UPDATE state SET epoch = ?', newEpoch())
}

/** 48 random bits: short, because every answer has them. */
export function newEpoch(): string {
  return randomBytes(6).toString('base64url')
}

/** The next revision, for a change that is being stored in the same transaction. */
export function nextRev(db: Database): number {
  const row = db.first<{ rev: number }>('UPDATE state SET rev = rev + 1 RETURNING rev')
  return row?.rev as number
}

/**
 * Records that a control plane is running. If none was for a while (it was down, the machine slept, the clock was set), the
 * servers that were counted before that stay counted until they have had time to report. If the clock was set back, no
 * server is counted for longer than ten minutes from now.
 */
export function beat(db: Database, now: number): void {
  const { aliveAt = now } = db.first<{ aliveAt: number }>('SELECT alive_at AS aliveAt FROM state') ?? {}
  if (now - aliveAt > ABSENT_MS) {
    db.run(
      'UPDATE server SET counted_until = max(counted_until, ?) WHERE counted_until > ? AND left_at IS NULL',
      now + LEARNING_MS,
      aliveAt,
    )
  }
  if (now < aliveAt) db.run('UPDATE server SET counted_until = min(counted_until, ?)', now + COUNTED_MS)
  if (now !== aliveAt) db.run('UPDATE state SET alive_at = ?', now)
}
