import type { SyncReport } from '@rail/plans/sync-protocol'
import type { Database, Reader } from './database.js'
import type { Usage } from './schemas.js'

/** A table of usage: how long one slot is, and for how long slots are kept. In milliseconds. */
export interface UsageTable {
  readonly name: 'usage_minute' | 'usage_hour'
  readonly slotMs: number
  readonly keptMs: number
}

/** Usage is kept twice: by the minute for three hours, by the hour for 32 days. */
export const USAGE_TABLES: readonly UsageTable[] = [
  { name: 'usage_minute', slotMs: 60_000, keptMs: 3 * 3_600_000 },
  { name: 'usage_hour', slotMs: 3_600_000, keptMs: 32 * 86_400_000 },
]

/**
 * Counts a report, once: a number that was counted before is only acknowledged again. Belongs into one transaction with
 * the rest of the sync. Returns the number to acknowledge.
 */
export function countReport(db: Database, instance: string, { seq, usage }: SyncReport, now: number): number {
  const row = db.first<{ lastSeq: number }>('SELECT last_seq AS lastSeq FROM server WHERE id = ?', instance)
  const lastSeq = row?.lastSeq ?? 0
  if (seq <= lastSeq) return lastSeq
  db.run('UPDATE server SET last_seq = ? WHERE id = ?', seq, instance)
  if (usage.length === 0) return seq
  const rows = JSON.stringify(usage)
  for (const { name, slotMs } of USAGE_TABLES) {
    // One statement for the whole report: a statement for each customer takes ten times as long.
    db.run(
      `INSERT INTO ${name}
       SELECT value ->> 0, ?1, '', value ->> 1, value ->> 2, value ->> 3 FROM json_each(?2)
       UNION ALL
       SELECT one.value ->> 0, ?1, by_limit.value ->> 0, 0, by_limit.value ->> 1, 0
       FROM json_each(?2) AS one, json_each(one.value, '$[4]') AS by_limit
       WHERE true
       ON CONFLICT DO UPDATE SET allowed = allowed + excluded.allowed, refused = refused + excluded.refused,
         peak = max(peak, excluded.peak)`,
      now - (now % slotMs),
      rows,
    )
  }
  return seq
}

/** Which usage to read: slots that begin at `from` or later, and before `to` (epoch milliseconds). */
export interface UsageQuery {
  readonly customer?: string | undefined
  readonly from: number
  readonly to: number
  readonly limit: number
}

/**
 * Usage by customer, those with the most refusals first, then the busiest: by the minute where `from` is not longer ago
 * than minutes are kept, else by the hour.
 */
export function readUsage(db: Reader, { customer, from, to, limit }: UsageQuery, now: number): Usage[] {
  const table = USAGE_TABLES.find(({ keptMs }) => now - from <= keptMs)?.name ?? 'usage_hour'
  const rows = db.all<Omit<Usage, 'refusedBy'>>(
    `SELECT customer, sum(allowed) AS allowed, sum(refused) AS refused, max(peak) AS peakPerSecond FROM ${table}
     WHERE limit_name = '' AND slot >= ?1 AND slot < ?2 AND (?3 IS NULL OR customer = ?3)
     GROUP BY customer ORDER BY sum(refused) DESC, sum(allowed) DESC, customer LIMIT ?4`,
    from,
    to,
    customer ?? null,
    limit,
  )
  return rows.map((row) => {
    const byLimit = db.all<{ name: string; refused: number }>(
      `SELECT limit_name AS name, sum(refused) AS refused FROM ${table}
       WHERE customer = ? AND slot >= ? AND slot < ? AND limit_name <> '' GROUP BY limit_name ORDER BY limit_name`,
      row.customer,
      from,
      to,
    )
    return { ...row, refusedBy: Object.fromEntries(byLimit.map(({ name, refused }) => [name, refused])) }
  })
}
