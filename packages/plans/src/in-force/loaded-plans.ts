import { type Clock, createPlanBook, type Plan, type PlanBook, type PlanCustomer, RailError } from '@rail/core'
import type { SyncEnvelope } from '../protocol/messages.js'

/** What a server holds of a control plane: a revision, and the book that it makes. */
export interface Held {
  readonly epoch: string
  readonly rev: number
  readonly setting: 'each' | 'split'
  readonly servers: number
  readonly defaultPlan: string | null
  /** As they came, for the copy on disk. These two are changed in place, like the book: they may be large. */
  readonly plans: Map<string, Plan>
  readonly customers: Map<string, PlanCustomer>
  readonly book: PlanBook
}

/** Plans and customers as they come over the wire or from disk: unread. */
export interface Whole extends Pick<Held, 'epoch' | 'rev' | 'setting' | 'servers' | 'defaultPlan'> {
  readonly plans: readonly unknown[]
  readonly customers: readonly unknown[]
}

/** How many customers are read at a stretch: some milliseconds. */
const SLICE = 1_000

/**
 * Makes what is held out of a whole payload, in slices, so that requests are answered in between. Nothing is in force
 * before all of it is read.
 *
 * @throws RailError `RAIL_BAD_PLAN` (as a rejection)
 */
export async function heldFrom({ plans, customers, ...head }: Whole, clock: Clock): Promise<Held> {
  // What these hold is core's to check: it refuses whatever is not as the type says.
  const pairs = customers as readonly (readonly [string, PlanCustomer])[]
  const planPairs = plans as readonly (readonly [string, Plan])[]
  const book = createPlanBook({ plans: planPairs, ...defaultOf(head.defaultPlan), servers: serversOf(head) }, { clock })
  for (let at = 0; at < pairs.length; at += SLICE) {
    book.update({ customers: pairs.slice(at, at + SLICE) })
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  const held: Held = { ...head, plans: new Map(planPairs), customers: new Map(pairs), book }
  if (held.customers.size === pairs.length) return held
  throw new RailError('RAIL_BAD_PLAN', 'customers: a customer is in the payload twice.')
}

/**
 * Changes what is held, all of it or nothing.
 *
 * @throws RailError `RAIL_BAD_PLAN` (as a rejection)
 */
export async function changed(
  held: Held,
  delta: Extract<SyncEnvelope, { kind: 'delta' }>,
  clock: Clock,
): Promise<Held> {
  const { epoch, rev, setting, servers, changes } = delta
  const { defaultPlan, removedPlans, removedCustomers } = changes
  const plans = changes.plans as readonly (readonly [string, Plan])[]
  const customers = changes.customers as readonly (readonly [string, PlanCustomer])[]
  const head = { epoch, rev, setting, servers, defaultPlan }
  if (customers.length > 5 * SLICE) {
    // An import of many customers is read in slices too, into another book, because half a change must not be in force.
    const after = (
      map: ReadonlyMap<string, unknown>,
      set: readonly unknown[],
      removed: readonly string[],
    ): unknown[] => [...setAndRemove(new Map(map), set as readonly (readonly [string, unknown])[], removed)]
    const whole = {
      plans: after(held.plans, plans, removedPlans),
      customers: after(held.customers, customers, removedCustomers),
    }
    return heldFrom({ ...head, ...whole }, clock)
  }
  const ofPlans = plans.length > 0 || removedPlans.length > 0 ? { plans, removedPlans } : {}
  held.book.update({ ...ofPlans, customers, removedCustomers, defaultPlan, servers: serversOf(head) })
  setAndRemove(held.plans, plans, removedPlans)
  setAndRemove(held.customers, customers, removedCustomers)
  return { ...held, ...head }
}

/** The same plans on another number of servers. */
export function resplit(held: Held, setting: Held['setting'], servers: number): Held {
  if (held.setting === setting && held.servers === servers) return held
  held.book.update({ servers: serversOf({ setting, servers }) })
  return { ...held, setting, servers }
}

function serversOf({ setting, servers }: Pick<Held, 'setting' | 'servers'>): 'each' | { split: number } {
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
