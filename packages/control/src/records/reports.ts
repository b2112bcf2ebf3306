import { setImmediate } from 'node:timers/promises'
import type { SyncReport, SyncUsage } from '@rail/plans/sync-protocol'
import { storableText } from '../base/storable.js'
import type { Database } from '../store/database.js'

/** A table of usage: the length of a slot, and how long slots are kept. In milliseconds. */
export interface UsageTable {
  readonly name: 'usage_minute' | 'usage_hour'
  readonly slotMs: number
  readonly keptMs: number
}

/** Usage is kept twice: by the minute for an hour, by the hour for 32 days. */
export const USAGE_TABLES: readonly UsageTable[] = [
  { name: 'usage_minute', slotMs: 60_000, keptMs: 3_600_000 },
  { name: 'usage_hour', slotMs: 3_600_000, keptMs: 32 * 86_400_000 },
]

/** This many customers are counted at a time: some milliseconds. Servers get their answers in between. */
const PART = 1_000

/**
 * Stores a report, once: a number that was stored before is only acknowledged again. Call it in one transaction with the
 * rest of the sync. A large report is counted later by {@link createCounting}, a small one at once. Returns the number to
 * acknowledge.
 */
export function takeReport(db: Database, instance: string, { seq, usage }: SyncReport, now: number): number {
  const row = db.first<{ lastSeq: number }>('SELECT last_seq AS lastSeq FROM server WHERE id = ?', instance)
  const lastSeq = row?.lastSeq ?? 0
  if (seq <= lastSeq) return lastSeq
  db.run('UPDATE server SET last_seq = ? WHERE id = ?', seq, instance)
  if (usage.length <= PART) {
    if (usage.length > 0) count(db, textOf(usage), now)
    return seq
  }
  for (let from = 0; from < usage.length; from += PART) {
    const part = textOf(usage.slice(from, from + PART))
    db.run('INSERT INTO uncounted (at, usage) VALUES (?, ?)', now, part)
  }
  return seq
}

/** Usage as JSON. Other people choose the names, and the database does not check strings within JSON. */
function textOf(usage: readonly SyncUsage[]): string {
  return JSON.stringify(
    usage.map(([customer, allowed, refused, peak, refusedBy]) => {
      const byLimit = refusedBy.map(([name, times]) => [storableText(name), times])
      return [storableText(customer), allowed, refused, peak, byLimit]
    }),
  )
}

/** Counts stored reports in the background. */
export interface Counting {
  /** Starts counting. An error is reported, and counting starts again at the next call. */
  start(): void
  /** Resolves when everything is counted. */
  done(): Promise<void>
}

/** Creates the counting: part by part, each counted and removed from the list in one transaction. */
export function createCounting(db: Database, onError: (error: unknown) => void): Counting {
  let running: Promise<void> | undefined
  const countAll = async (): Promise<void> => {
    while (db.first('SELECT 1 FROM uncounted LIMIT 1') !== undefined) {
      db.transaction(() => {
        const part = db.first<{ at: number; usage: string }>(
          'DELETE FROM uncounted WHERE number = (SELECT min(number) FROM uncounted) RETURNING at, usage',
        )
        if (part !== undefined) count(db, part.usage, part.at)
      })
      await setImmediate()
    }
  }
  const done = (): Promise<void> => {
    running ??= countAll().finally(() => {
      running = undefined
    })
    return running
  }
  return { start: () => void done().catch(onError), done }
}

/** Adds usage, as JSON, in one statement: a statement for each customer takes ten times as long. */
function count(db: Database, usage: string, at: number): void {
  for (const { name, slotMs } of USAGE_TABLES) {
    db.run(
      `INSERT INTO ${name}
       SELECT value ->> 0, ?1, '', value ->> 1, value ->> 2, value ->> 3 FROM json_each(?2)
       UNION ALL
       SELECT one.value ->> 0, ?1, by_limit.value ->> 0, 0, by_limit.value ->> 1, 0
       FROM json_each(?2) AS one, json_each(one.value, '$[4]') AS by_limit
       WHERE true
       ON CONFLICT DO UPDATE SET allowed = allowed + excluded.allowed, refused = refused + excluded.refused,
         peak = max(peak, excluded.peak)`,
      at - (at % slotMs),
      usage,
    )
  }
}
