import { setImmediate } from 'node:timers/promises'
import type { Reader } from '../store/database.js'
import type { Usage } from './record-schemas.js'
import { USAGE_TABLES } from './reports.js'

/** Which usage to read: slots that begin at `from` or later, and before `to` (epoch milliseconds). */
export interface UsageQuery {
  readonly customer?: string | undefined
  readonly from: number
  readonly to: number
  /** The most customers to return. */
  readonly limit: number
}

type Totals = Omit<Usage, 'refusedBy'>

/** This many rows are read at a time: some milliseconds. Servers get their answers in between. */
const PAGE = 500
const SORTED = 4_000

/**
 * Usage by customer, those with the most refusals first, then the busiest. It is summed by the minute if minutes are still
 * stored for `from`, else by the hour.
 */
export async function readUsage(db: Reader, query: UsageQuery, now: number): Promise<Usage[]> {
  const { customer, from, to, limit } = query
  const table = USAGE_TABLES.find(({ keptMs }) => now - from <= keptMs)?.name ?? 'usage_hour'
  const totals =
    customer === undefined ? await totalsOfAll(db, table, from, to) : totalsOf(db, table, customer, from, to)
  const first = await firstOf(totals, limit)
  return first.map((one) => ({ ...one, refusedBy: refusedBy(db, table, one.customer, from, to) }))
}

/** The first of the list. Sorting 100,000 at once would block. */
async function firstOf(totals: readonly Totals[], limit: number): Promise<readonly Totals[]> {
  let first: readonly Totals[] = []
  for (let at = 0; at < totals.length; at += SORTED) {
    first = [...first, ...totals.slice(at, at + SORTED)].sort(byRefusals).slice(0, limit)
    await setImmediate()
  }
  return first
}

function byRefusals(a: Totals, b: Totals): number {
  return b.refused - a.refused || b.allowed - a.allowed || (a.customer < b.customer ? -1 : 1)
}

function totalsOf(db: Reader, table: string, customer: string, from: number, to: number): Totals[] {
  return db.all<Totals>(
    `SELECT customer, sum(allowed) AS allowed, sum(refused) AS refused, max(peak) AS peakPerSecond FROM ${table}
     WHERE customer = ? AND slot >= ? AND slot < ? AND limit_name = '' GROUP BY customer`,
    customer,
    from,
    to,
  )
}

/** Adds up slot by slot and page by page: one statement over an hour of 100,000 customers would take seconds. */
async function totalsOfAll(db: Reader, table: string, from: number, to: number): Promise<Totals[]> {
  const totals = new Map<string, Totals>()
  for (let slot = nextSlot(db, table, from); slot !== undefined && slot < to; slot = nextSlot(db, table, slot + 1)) {
    for (let after: string | undefined = ''; after !== undefined; await setImmediate()) {
      const rows: Totals[] = db.all<Totals>(
        `SELECT customer, allowed, refused, peak AS peakPerSecond FROM ${table}
         WHERE slot = ? AND customer > ? AND limit_name = '' ORDER BY customer LIMIT ${PAGE}`,
        slot,
        after,
      )
      for (const row of rows) totals.set(row.customer, added(totals.get(row.customer), row))
      after = rows.at(-1)?.customer
    }
  }
  return [...totals.values()]
}

function nextSlot(db: Reader, table: string, from: number): number | undefined {
  return (
    db.first<{ slot: number | null }>(`SELECT min(slot) AS slot FROM ${table} WHERE slot >= ?`, from)?.slot ?? undefined
  )
}

function added(sum: Totals | undefined, row: Totals): Totals {
  if (sum === undefined) return row
  return {
    customer: row.customer,
    allowed: sum.allowed + row.allowed,
    refused: sum.refused + row.refused,
    peakPerSecond: Math.max(sum.peakPerSecond, row.peakPerSecond),
  }
}

function refusedBy(db: Reader, table: string, customer: string, from: number, to: number): Record<string, number> {
  const rows = db.all<{ name: string; refused: number }>(
    `SELECT limit_name AS name, sum(refused) AS refused FROM ${table}
     WHERE customer = ? AND slot >= ? AND slot < ? AND limit_name <> '' GROUP BY limit_name ORDER BY limit_name`,
    customer,
    from,
    to,
  )
  return Object.fromEntries(rows.map(({ name, refused }) => [name, refused]))
}
