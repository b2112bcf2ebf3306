import type { SyncChanges, SyncDocument } from './messages.js'

/**
 * The document that changes lead to. Neither argument is changed. What the changes name and the document does not have
 * is added at the end; what they remove and it does not have is passed over; set wins over removed.
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
