import { randomBytes } from 'node:crypto'
import type { Database, Reader } from './database.js'

/** Which state of plans and customers the database holds. */
export interface State {
  /** A random text: another epoch is another history. */
  readonly epoch: string
  /** Grows by one with each change. 0: nothing was ever set here. */
  readonly rev: number
  /** A server with this revision or a later one can be told what is different; one with an older needs everything. */
  readonly forgottenRev: number
}

/** How often servers ask, in milliseconds. */
export const SYNC_MS = 15_000
/** How long a server that fell silent is counted, in milliseconds. */
export const COUNTED_MS = 600_000
/** Without any control plane for so long, nobody could report, and silence says nothing. In milliseconds. */
export const ABSENT_MS = 60_000
/** The longest interval that may be asked for, in milliseconds: several syncs fit in the time that a silent server counts. */
export const LONGEST_SYNC_MS = 60_000
/**
 * How long servers get to report after that: two tries, the longest wait between tries being a minute (the longest interval,
 * and what a server waits that was refused by whoever answered meanwhile). In milliseconds.
 */
export const LEARNING_MS = 120_000
/** In a database that was made less than so long ago, what servers know of another one counts as they do themselves. In milliseconds. */
export const NEW_MS = 86_400_000

/** Reads the state. */
export function readState(db: Reader): State {
  const state = db.first<State>('SELECT epoch, rev, forgotten_rev AS forgottenRev FROM state')
  if (state === undefined) throw new Error('The database has no state: startState was not called.')
  return state
}

/**
 * Begins: makes the state of a new database. In one that nobody ran for a minute the epoch is renewed, because it may be
 * an older copy that was put back: then the same revision may mean something else than what servers have under it.
 */
export function startState(db: Database, now: number): void {
  db.transaction(() => {
    const row = db.first<{ aliveAt: number }>('SELECT alive_at AS aliveAt FROM state')
    if (row === undefined) db.run('INSERT INTO state VALUES (1, ?, 0, 0, ?, ?)', newEpoch(), now, now)
    else if (Math.abs(now - row.aliveAt) > ABSENT_MS) renewEpoch(db)
    beat(db, now)
  })
}

/** Another epoch: every server gets everything. Call it where a server knows more than the database. */
export function renewEpoch(db: Database): void {
  db.run('UPDATE state SET epoch = ?', newEpoch())
}

/** 48 random bits, short because every answer repeats them. */
export function newEpoch(): string {
  return randomBytes(6).toString('base64url')
}

/** The next revision, for a change that is being stored in the same transaction. */
export function nextRev(db: Database): number {
  const row = db.first<{ rev: number }>('UPDATE state SET rev = rev + 1 RETURNING rev')
  return row?.rev as number
}

/**
 * Notes that a control plane is running. Where none was for a while (it was down, the machine slept, the clock was set),
 * servers that were counted at the end of that time are counted until they have had time to report; where the clock was
 * set back, nobody is counted for longer than ten minutes from now.
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
