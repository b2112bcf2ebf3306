import type { SyncChanges, SyncDocument } from './messages.js'

/**
 * The document after changes. Neither argument is changed. New names are added at the end, the removal of an unknown name is
 * ignored, and a name that is both set and removed is set.
 *
 * @example
 * applyChanges(before, { defaultPlan: 'free', plans: [], removedPlans: ['old'], customers: [], removedCustomers: [] })
 */
export function applyChanges(document: SyncDocument, changes: SyncChanges): SyncDocument {
  return {
    defaultPlan: changes.defaultPlan,
    plans: applied(document.plans, changes.plans, changes.removedPlans),
    customers: applied(document.customers, changes.customers, changes.removedCustomers),
  }
}

function applied<Pair extends [string, unknown]>(pairs: Pair[], set: Pair[], removed: readonly string[]): Pair[] {
  const byName = new Map(pairs.map((pair) => [pair[0], pair]))
  for (const name of removed) byName.delete(name)
  for (const pair of set) byName.set(pair[0], pair)
  return [...byName.values()]
}
