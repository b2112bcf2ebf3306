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
 */
export async function keepHouse(db: Database, now: number): Promise<void> {
  db.transaction(() => {
    beat(db, now)
    db.run('DELETE FROM server WHERE counted_until < ? AND last_sync < ?', now, now - SERVERS_KEPT_MS)
    db.run('DELETE FROM hearsay WHERE until < ?', now - DAY_MS)
    const old = 'FROM removed WHERE at < ?'
    db.run(
      `UPDATE state SET forgotten_rev = max(forgotten_rev, coalesce((SELECT max(rev) ${old}), 0))`,
      now - REMOVED_KEPT_MS,
    )
    db.run(`DELETE ${old}`, now - REMOVED_KEPT_MS)
  })
  await deleteSlowly(db, 'history', 'number', 'at < ?', now - HISTORY_KEPT_MS)
  for (const { name, keptMs, slotMs } of USAGE_TABLES) {
    await deleteSlowly(db, name, 'customer, slot, limit_name', 'slot < ?', now - keptMs - slotMs)
  }
}

async function deleteSlowly(db: Database, table: string, key: string, old: string, before: number): Promise<void> {
  const sql = `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${old} LIMIT ${CHUNK})`
  while (db.run(sql, before) === CHUNK) await setImmediate()
}
