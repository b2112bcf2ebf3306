import { type Clock, createPlanBook, type Plan, type PlanBook, type PlanCustomer, RailError } from '@rail/core'
import type { SyncEnvelope } from '../protocol/messages.js'

/** A revision of a control plane, and its book. */
export interface LoadedPlans {
  readonly epoch: string
  readonly rev: number
  readonly setting: 'each' | 'split'
  readonly servers: number
  readonly defaultPlan: string | null
  /** As they came, for the copy on disk. Both maps are changed in place, like the book: they may be large. */
  readonly plans: Map<string, Plan>
  readonly customers: Map<string, PlanCustomer>
  readonly book: PlanBook
}

/** Plans and customers as they come from the network or from disk: unchecked. */
export interface PlanPayload extends Pick<LoadedPlans, 'epoch' | 'rev' | 'setting' | 'servers' | 'defaultPlan'> {
  readonly plans: readonly unknown[]
  readonly customers: readonly unknown[]
}

/** The customers that are checked at once: it takes some milliseconds. */
const SLICE = 1_000

/**
 * Loads a whole payload, in slices, so that requests are answered in between. Nothing is in force before all of it is
 * checked.
 *
 * @throws RailError `RAIL_BAD_PLAN` (as a rejection)
 */
export async function loadPlans({ plans, customers, ...head }: PlanPayload, clock: Clock): Promise<LoadedPlans> {
  // Core checks the contents, and refuses whatever does not match the type.
  const pairs = customers as readonly (readonly [string, PlanCustomer])[]
  const planPairs = plans as readonly (readonly [string, Plan])[]
  const book = createPlanBook({ plans: planPairs, ...defaultOf(head.defaultPlan), servers: serversOf(head) }, { clock })
  for (let at = 0; at < pairs.length; at += SLICE) {
    book.update({ customers: pairs.slice(at, at + SLICE) })
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  const loaded: LoadedPlans = { ...head, plans: new Map(planPairs), customers: new Map(pairs), book }
  if (loaded.customers.size === pairs.length) return loaded
  throw new RailError('RAIL_BAD_PLAN', 'customers: expected each customer once, got one twice.')
}

/**
 * Applies all of the changes, or none.
 *
 * @throws RailError `RAIL_BAD_PLAN` (as a rejection)
 */
export async function changePlans(
  loaded: LoadedPlans,
  delta: Extract<SyncEnvelope, { kind: 'delta' }>,
  clock: Clock,
): Promise<LoadedPlans> {
  const { epoch, rev, setting, servers, changes } = delta
  const { defaultPlan, removedPlans, removedCustomers } = changes
  const plans = changes.plans as readonly (readonly [string, Plan])[]
  const customers = changes.customers as readonly (readonly [string, PlanCustomer])[]
  const head = { epoch, rev, setting, servers, defaultPlan }
  if (customers.length > 5 * SLICE) {
    // Many customers are checked in slices too, in another book, because half a change must not be in force.
    const after = (
      map: ReadonlyMap<string, unknown>,
      set: readonly unknown[],
      removed: readonly string[],
    ): unknown[] => [...setAndRemove(new Map(map), set as readonly (readonly [string, unknown])[], removed)]
    const whole = {
      plans: after(loaded.plans, plans, removedPlans),
      customers: after(loaded.customers, customers, removedCustomers),
    }
    return loadPlans({ ...head, ...whole }, clock)
  }
  const ofPlans = plans.length > 0 || removedPlans.length > 0 ? { plans, removedPlans } : {}
  loaded.book.update({ ...ofPlans, customers, removedCustomers, defaultPlan, servers: serversOf(head) })
  setAndRemove(loaded.plans, plans, removedPlans)
  setAndRemove(loaded.customers, customers, removedCustomers)
  return { ...loaded, ...head }
}

/** The same plans on another number of servers. */
export function withServers(loaded: LoadedPlans, setting: LoadedPlans['setting'], servers: number): LoadedPlans {
  if (loaded.setting === setting && loaded.servers === servers) return loaded
  loaded.book.update({ servers: serversOf({ setting, servers }) })
  return { ...loaded, setting, servers }
}

function serversOf({ setting, servers }: Pick<LoadedPlans, 'setting' | 'servers'>): 'each' | { split: number } {
  return setting === 'split' ? { split: servers } : 'each'
}

function defaultOf(defaultPlan: string | null): { defaultPlan?: string } {
  return defaultPlan === null ? {} : { defaultPlan }
}

function setAndRemove<Thing>(
  map: Map<string, Thing>,
  set: readonly (readonly [string, Thing])[],
  removed: readonly string[],
): Map<string, Thing> {
  for (const name of removed) map.delete(name)
  for (const [name, thing] of set) map.set(name, thing)
  return map
}
