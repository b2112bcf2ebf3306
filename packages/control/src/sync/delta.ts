import type { SyncChanges } from '@rail/plans/sync-protocol'
import { type CustomerRow, syncCustomerOf } from '../plans/check.js'
import type { Reader } from '../store/database.js'
import type { State } from '../store/state.js'

/** A server with more changes to catch up on gets everything, which is built once for all servers. */
const LARGEST_DELTA = 5_000

/** How many plans, customers and removals are newer than a revision. Stops counting one past the largest delta. */
function changesAfter(db: Reader, rev: number): number {
  const row = db.first<{ count: number }>(
    `SELECT (SELECT count(*) FROM (SELECT 1 FROM customer WHERE rev > ?1 LIMIT ?2))
          + (SELECT count(*) FROM (SELECT 1 FROM removed WHERE rev > ?1 LIMIT ?2))
          + (SELECT count(*) FROM plan WHERE rev > ?1) AS count`,
    rev,
    LARGEST_DELTA + 1,
  )
  return row?.count ?? 0
}

/** Whether a server with a revision gets the changes since: they are stored, and not too many. */
export function canCatchUp(db: Reader, rev: number, state: State): boolean {
  return rev >= state.forgottenRev && changesAfter(db, rev) <= LARGEST_DELTA
}

/** The changes from a revision to the present one; `undefined` where {@link canCatchUp} says no. */
export function deltaFrom(db: Reader, rev: number, state: State, defaultPlan: string | null): SyncChanges | undefined {
  if (!canCatchUp(db, rev, state)) return undefined
  const plans = db.all<{ name: string; body: string }>('SELECT name, body FROM plan WHERE rev > ? ORDER BY name', rev)
  const customers = db.all<CustomerRow>('SELECT id, plan, overrides FROM customer WHERE rev > ? ORDER BY id', rev)
  const removed = db.all<{ kind: string; id: string }>('SELECT kind, id FROM removed WHERE rev > ? ORDER BY id', rev)
  return {
    defaultPlan,
    plans: plans.map(({ name, body }) => [name, JSON.parse(body)]),
    removedPlans: removed.filter(({ kind }) => kind === 'plan').map(({ id }) => id),
    customers: customers.map(syncCustomerOf),
    removedCustomers: removed.filter(({ kind }) => kind === 'customer').map(({ id }) => id),
  }
}
