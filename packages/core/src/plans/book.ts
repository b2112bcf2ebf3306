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
  /** The clock by which overrides end, in epoch milliseconds. @default Date.now */
  readonly clock?: Clock | undefined
}

/** Plans and customers as a source of limits: `limits: book`. */
export interface PlanBook extends LimitSource {
  /**
   * The limits of a customer in a scope; `''` is the scope of the plan's own limits. An override comes first, then the
   * customer's plan, then the default plan; without any of these there is no limit (`[]`). With `servers: { split }` the
   * limits are this server's shares, unless several servers count in the store (`isShared`): then they are whole. Returns the
   * same frozen array until a limit changes or an override ends.
   *
   * @throws RailError `RAIL_UNKNOWN_SCOPE` for a scope that no plan has: a mistyped scope must not mean "no limits"
   */
  limitsFor(customer: string, scope: string, isShared?: boolean): readonly Limit[]
  /** The number of servers that limits are split over; `undefined` where each server enforces whole limits. */
  servers(): number | undefined
  /** Whether the book lists a customer. */
  has(customer: string): boolean
  /** Whether any plan has a scope; always true for `''`. */
  hasScope(scope: string): boolean
  /** The limits of a customer in all scopes, and the rule that sets each: for support pages and logs. */
  explain(customer: string): PlanExplanation
  /** Applies all of the changes, or none. @throws RailError `RAIL_BAD_PLAN` for wrong changes; the book stays as it was */
  update(changes: PlanChanges): void
}

/**
 * Makes a book of plans from plain data. It does no I/O: `planFile` and `syncPlans` of `@rail/plans` keep a book current.
 *
 * @example
 * const book = createPlanBook({ plans: { free: { limits: { per_second: 10, per_minute: 300 } } }, defaultPlan: 'free' })
 * const limiter = createLimiter({ identify: (customer: string) => customer, limits: book })
 *
 * @throws RailError `RAIL_BAD_PLAN` with the path of every problem; {@link planProblems} lists them
 */
export function createPlanBook(document: PlanDocument, options: PlanBookOptions = {}): PlanBook {
  checkOptionNames(options, ['clock'], 'createPlanBook()')
  checkOption('clock', options.clock, 'a function that returns milliseconds', (value) => typeof value === 'function')
  const { clock = epochNow } = options
  const customers = new Map<string, BookCustomer>()
  const unlisted: BookCustomer = { plan: undefined, overrides: [], enforced: undefined }
  let state: Omit<PlanState, 'customers'> = EMPTY
  let scopes: ReadonlySet<string> = new Set()

  function change({ problems, customers: changed, removedCustomers, ...next }: NextState): void {
    problems.throwIfAny()
    for (const key of removedCustomers) customers.delete(key)
    const entries = new Map<Listed, BookCustomer>()
    for (const [key, listed] of changed) {
      const customer = entries.get(listed) ?? { ...listed, enforced: undefined }
      entries.set(listed, customer)
      customers.set(key, customer)
    }
    const { plans, defaultPlan, servers } = state
    if (next.plans === plans && next.defaultPlan === defaultPlan && next.servers === servers) return
    state = next
    if (next.plans !== plans) scopes = new Set([...next.plans.values()].flatMap((byScope) => [...byScope.keys()]))
  }

  function enforcedFor(customer: BookCustomer): Enforced {
    const { enforced, overrides } = customer
    const now = customer.overrides.length === 0 ? 0 : readClock(clock)
    if (enforced !== undefined && enforced.state === state && now >= enforced.from && now < enforced.until)
      return enforced
    const planned = state.plans.get(customer.plan ?? state.defaultPlan ?? '') ?? NO_PLAN
    const inForce = overrides.filter(({ endsAt }) => now < endsAt)
    const whole = inForce.length === 0 ? planned : overridden(planned, inForce)
    const ends = overrides.map(({ endsAt }) => endsAt)
    customer.enforced = {
      state,
      from: Math.max(Number.NEGATIVE_INFINITY, ...ends.filter((end) => end <= now)),
      until: Math.min(Number.POSITIVE_INFINITY, ...ends.filter((end) => end > now)),
      whole,
      shares: sharesOf(whole, state.servers),
    }
    return customer.enforced
  }

  change(checkDocument(document))
  return {
    limitsFor: (key, scope, isShared = false) => {
      const { whole, shares } = enforcedFor(customers.get(key) ?? unlisted)
      const limits = (isShared ? whole : shares).get(scope)
      if (limits !== undefined) return limits
      if (scope === '' || scopes.has(scope)) return NO_LIMITS
      throw unknownScope(scope, [...scopes])
    },
    servers: () => (state.servers === 'each' ? undefined : state.servers.split),
    has: (customer) => customers.has(customer),
    hasScope: (scope) => scope === '' || scopes.has(scope),
    explain: (customer) => explanationOf(customer, customers.get(customer), state, readClock(clock)),
    update: (changes) => change(checkChanges({ ...state, customers }, changes)),
  }
}

/** The problems of a plan document, each with its path; `[]` if it is right. At most 100. */
export function planProblems(document: unknown): readonly PlanProblem[] {
  // checkDocument checks all of it: the type only helps typed callers.
  return checkDocument(document as PlanDocument).problems.list
}

/** A listed customer, and the limits last computed for them. */
interface BookCustomer extends Listed {
  enforced: Enforced | undefined
}

interface Enforced {
  /** The state that these limits were computed from. */
  readonly state: object
  /** The same overrides are in force from `from` up to, but without, `until`. Epoch milliseconds. */
  readonly from: number
  readonly until: number
  /** The limits of the plan and its overrides. */
  readonly whole: ScopedLimits
  /** What this server enforces of them by itself. */
  readonly shares: ScopedLimits
}

const NO_LIMITS: readonly Limit[] = Object.freeze([])
const NO_PLAN: ScopedLimits = new Map([['', NO_LIMITS]])

function sharesOf(byScope: ScopedLimits, servers: PlanState['servers']): ScopedLimits {
  for (const limits of byScope.values()) Object.freeze(limits)
  if (servers === 'each') return byScope
  return new Map(
    [...byScope].map(([scope, limits]) => [scope, Object.freeze(limits.map((limit) => share(limit, servers.split)))]),
  )
}

function unknownScope(scope: string, known: readonly string[]): RailError {
  const scopes = known.filter((name) => name !== '')
  const expected = scopes.length === 0 ? 'no scope (the plans have none)' : `a scope of a plan (${scopes.join(', ')})`
  return new RailError(
    'RAIL_UNKNOWN_SCOPE',
    `scope: expected ${expected}, got ${shown(scope)}.${suggestionFor(scope, scopes)} A scope without limits is {} in a plan.`,
  )
}
