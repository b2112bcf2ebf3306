import { checkOption, checkOptionNames } from '../base/check.js'
import { type Clock, epochNow, readClock } from '../base/clock.js'
import { RailError, shown } from '../base/errors.js'
import { suggestionFor } from '../base/suggestion.js'
import type { LimitSource } from '../bucket/limit-source.js'
import type { Limit } from '../limit/limit.js'
import { share } from '../limit/share.js'
import { checkChanges, checkDocument, EMPTY, type Listed, type NextState, type PlanState } from './changes.js'
import type { PlanChanges, PlanDocument } from './document.js'
import { explanationOf, type PlanExplanation } from './explanation.js'
import { overridden } from './overrides.js'
import type { ScopedLimits } from './plan-limits.js'
import type { PlanProblem } from './problems.js'

/** The options of {@link createPlanBook}. */
export interface PlanBookOptions {
  /** Epoch milliseconds, by which overrides end. @default Date.now */
  readonly clock?: Clock | undefined
}

/** Plans and customers, as a source of limits: `limits: book` is all that an adapter needs. */
export interface PlanBook extends LimitSource {
  /**
   * The limits of a customer in a scope; `''`: the plan's own. An override says first, else the customer's plan, else the
   * default plan, else there is no limit (`[]`). Where the book is split, the limits are this server's shares. The same
   * frozen array until something changes; an override that ends is noticed here.
   *
   * @throws RailError `RAIL_UNKNOWN_SCOPE` for a scope that no plan has: a mistyped one must not mean "no tighter limit"
   */
  limitsFor(customer: string, scope: string): readonly Limit[]
  /** Whether a customer is in the book by name. */
  has(customer: string): boolean
  /** Whether any plan has limits for a scope; `''`: always. */
  hasScope(scope: string): boolean
  /** Which rule gives each limit of a customer, for people: in all scopes, with whole limits and shares. */
  explain(customer: string): PlanExplanation
  /** Changes the book, whole or not at all. @throws RailError `RAIL_BAD_PLAN` for wrong changes; the book is as it was */
  update(changes: PlanChanges): void
}

/**
 * A book of plans, from plain data. Pure: it reads no file and sends nothing; `planFile` and `syncPlans` of `@rail/plans`
 * keep a book current.
 *
 * @example
 * const book = createPlanBook({ plans: { free: { limits: { per_second: 10, per_minute: 300 } } }, defaultPlan: 'free' })
 * const limiter = createLimiter({ identify: (customer: string) => customer, limits: book })
 *
 * @throws RailError `RAIL_BAD_PLAN`, which names the path of everything that is wrong; {@link planProblems} lists it
 */
export function createPlanBook(document: PlanDocument, options: PlanBookOptions = {}): PlanBook {
  checkOptionNames(options, ['clock'], 'createPlanBook')
  checkOption('clock', options.clock, 'a function that returns milliseconds', (value) => typeof value === 'function')
  const { clock = epochNow } = options
  const customers = new Map<string, Kept>()
  const unlisted: Kept = { plan: undefined, overrides: [], enforced: undefined }
  let state: Omit<PlanState, 'customers'> = EMPTY
  let scopes: ReadonlySet<string> = new Set()

  function change({ problems, customers: changed, removedCustomers, ...next }: NextState): void {
    problems.refuse()
    for (const key of removedCustomers) customers.delete(key)
    const kept = new Map<Listed, Kept>()
    for (const [key, listed] of changed) {
      const one = kept.get(listed) ?? { ...listed, enforced: undefined }
      kept.set(listed, one)
      customers.set(key, one)
    }
    const { plans, defaultPlan, servers } = state
    if (next.plans === plans && next.defaultPlan === defaultPlan && next.servers === servers) return
    state = next
    if (next.plans !== plans) scopes = new Set([...next.plans.values()].flatMap((byScope) => [...byScope.keys()]))
  }

  function enforcedBy(customer: Kept): Enforced {
    const { enforced, overrides } = customer
    const now = customer.overrides.length === 0 ? 0 : readClock(clock)
    if (enforced !== undefined && enforced.state === state && now >= enforced.from && now < enforced.until)
      return enforced
    const planned = state.plans.get(customer.plan ?? state.defaultPlan ?? '') ?? NO_PLAN
    const inForce = overrides.filter(({ endsAt }) => now < endsAt)
    const ends = overrides.map(({ endsAt }) => endsAt)
    customer.enforced = {
      state,
      from: Math.max(Number.NEGATIVE_INFINITY, ...ends.filter((end) => end <= now)),
      until: Math.min(Number.POSITIVE_INFINITY, ...ends.filter((end) => end > now)),
      byScope: shared(inForce.length === 0 ? planned : overridden(planned, inForce), state.servers),
    }
    return customer.enforced
  }

  change(checkDocument(document))
  return {
    limitsFor: (key, scope) => {
      const limits = enforcedBy(customers.get(key) ?? unlisted).byScope.get(scope)
      if (limits !== undefined) return limits
      if (scope === '' || scopes.has(scope)) return NONE
      throw unknownScope(scope, [...scopes])
    },
    has: (customer) => customers.has(customer),
    hasScope: (scope) => scope === '' || scopes.has(scope),
    explain: (customer) => explanationOf(customer, customers.get(customer), state, readClock(clock)),
    update: (changes) => change(checkChanges({ ...state, customers }, changes)),
  }
}

/** Everything that is wrong in a plan document, at which path; `[]`: nothing. At most 100 problems. */
export function planProblems(document: unknown): readonly PlanProblem[] {
  // What is unknown here is checked there: the type is a promise that only typed callers make.
  return checkDocument(document as PlanDocument).problems.list
}

/** A listed customer, and what was last worked out for them. */
interface Kept extends Listed {
  enforced: Enforced | undefined
}

interface Enforced {
  /** Of which state it was worked out. */
  readonly state: object
  /** The epoch milliseconds in which the same overrides are in force; `until` is the first after them. */
  readonly from: number
  readonly until: number
  readonly byScope: ScopedLimits
}

const NONE: readonly Limit[] = Object.freeze([])
const NO_PLAN: ScopedLimits = new Map([['', NONE]])

function shared(byScope: ScopedLimits, servers: PlanState['servers']): ScopedLimits {
  const count = servers === 'each' ? 1 : servers.split
  return new Map(
    [...byScope].map(([scope, limits]) => [scope, Object.freeze(limits.map((limit) => share(limit, count)))]),
  )
}

function unknownScope(scope: string, known: readonly string[]): RailError {
  const scopes = known.filter((name) => name !== '')
  const are = scopes.length === 0 ? 'None has any.' : `Scopes are ${scopes.join(', ')}.`
  return new RailError(
    'RAIL_UNKNOWN_SCOPE',
    `No plan has the scope ${shown(scope)}.${suggestionFor(scope, scopes)} ${are} A scope without limits is written as {}.`,
  )
}
