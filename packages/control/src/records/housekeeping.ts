import { setImmediate } from 'node:timers/promises'
import type { Database } from '../store/database.js'
import { beat } from '../store/state.js'
import { USAGE_TABLES } from './reports.js'

const DAY_MS = 86_400_000
/** How long removals, and servers that are gone, are remembered. */
const REMOVED_KEPT_MS = 30 * DAY_MS
const SERVERS_KEPT_MS = 2 * DAY_MS
const HISTORY_KEPT_MS = 400 * DAY_MS
/** This many rows are deleted at a time. Servers get their answers in between. */
const CHUNK = 2_000

/**
 * Deletes old rows, bit by bit, and records that a control plane is running. Several control planes of one database may
 * run it.
 *
 * @param sure A moment that is surely over: what is old by then is deleted. @default now
 */
export async function keepHouse(db: Database, now: number, sure = now): Promise<void> {
  db.transaction(() => {
    beat(db, now)
    db.run('DELETE FROM server WHERE counted_until < ?1 AND last_sync < ?2', sure, sure - SERVERS_KEPT_MS)
    db.run('DELETE FROM hearsay WHERE until < ?', sure - DAY_MS)
    const old = 'FROM removed WHERE at < ?'
    db.run(
      `UPDATE state SET forgotten_rev = max(forgotten_rev, coalesce((SELECT max(rev) ${old}), 0))`,
      sure - REMOVED_KEPT_MS,
    )
    db.run(`DELETE ${old}`, sure - REMOVED_KEPT_MS)
  })
  await deleteSlowly(db, 'history', 'number', 'at < ?', sure - HISTORY_KEPT_MS)
  for (const { name, keptMs, slotMs } of USAGE_TABLES) {
    await deleteSlowly(db, name, 'customer, slot, limit_name', 'slot < ?', sure - keptMs - slotMs)
  }
}

/**
 * A clock for what is deleted: never ahead of the time that has passed in this process. A wrong reading, such as a month
 * ahead, would delete a month of usage, and the right time afterwards brings nothing back.
 *
 * @param elapsedMs A clock that nobody sets. @default performance.now
 */
export function sureClock(clock: () => number, elapsedMs: () => number = () => performance.now()): () => number {
  const offset = clock() - elapsedMs()
  return () => Math.floor(Math.min(clock(), offset + elapsedMs()))
}

async function deleteSlowly(db: Database, table: string, key: string, old: string, before: number): Promise<void> {
  const sql = `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${old} LIMIT ${CHUNK})`
  while (db.run(sql, before) === CHUNK) await setImmediate()
}
