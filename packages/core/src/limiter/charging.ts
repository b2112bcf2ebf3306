import { advice } from '../base/advice.js'
import { unexpected } from '../base/errors.js'
import { chain, isPromise, type MaybePromise } from '../base/maybe-promise.js'
import { type Charge, checkCost, checkKey } from '../limit/charge.js'
import { checkedLimits, checkNames } from '../limit/check-limits.js'
import { CheckedCharge } from '../limit/checked-charge.js'
import type { Limit } from '../limit/limit.js'
import type { Charging, PlainCharging, RouteOptions } from './options.js'
import type { Watch } from './watch.js'

/** What a charging has to know of its limiter. */
export interface ChargingContext {
  /** Whether several servers count in the limiter's store. */
  readonly isShared: boolean
  readonly watch: Watch
}

/**
 * The charges of a request by `identify`, `limits` and `cost`: the usual way. A missing customer or a missing plan is an
 * error; it never means "no limit". A request that was charged before keeps its customer and the customer's limits.
 */
export function chargingBy<Request>(
  { identify, limits, cost = 1 }: PlainCharging<Request>,
  { isShared, watch }: ChargingContext,
): Charging<Request> {
  type ChargesFor = Charging<Request>['chargesFor']

  const chargesFor: ChargesFor = (request, route, before, scope) => {
    const key = before[0] === undefined ? identify(request) : before[0].key
    return isPromise(key)
      ? whenIdentified(key, request, route, before, scope)
      : chargesOf(key, request, route, before, scope)
  }

  // The usual case has nothing to wait for, and makes no closure.

  function chargesOf(
    key: string | null,
    request: Request,
    route: RouteOptions<Request>,
    before: readonly Charge[],
    scope: string,
  ): ReturnType<ChargesFor> {
    watch.identified(key)
    if (key === null) return NO_CHARGES
    checkIdentity(key)
    const own = ownLimitsIn(before) ?? limitsOf(limits, key, request, scope, isShared)
    const tokens = route.cost ?? cost
    const isPlain = route.scope === undefined && route.limits === undefined && typeof tokens === 'number'
    return isPlain && !isPromise(own)
      ? charges(key, own, NO_LIMITS, tokens, scope, route, before)
      : whenFound(key, own, request, route, before, scope)
  }

  function whenIdentified(key: PromiseLike<string | null>, ...given: Parameters<ChargesFor>): ReturnType<ChargesFor> {
    return key.then((found) => chargesOf(found, ...given))
  }

  function whenFound(
    key: string,
    found: MaybePromise<readonly Limit[]>,
    ...[request, route, before, scope]: Parameters<ChargesFor>
  ): ReturnType<ChargesFor> {
    return chain(found, (own) =>
      chain(routeLimitsOf(route, limits, key, request, isShared), (more) =>
        chain(costOf(request, route.cost ?? cost), (tokens) => charges(key, own, more, tokens, scope, route, before)),
      ),
    )
  }

  return { chargesFor }
}

function charges<Request>(
  key: string,
  limits: readonly Limit[],
  more: readonly Limit[],
  tokens: number,
  scope: string,
  route: RouteOptions<Request>,
  before: readonly Charge[],
): readonly Charge[] {
  // A route that does not say its cost takes no tokens of an earlier one back.
  const cost = route.cost === undefined ? Math.max(tokens, before[0]?.cost ?? 0) : tokens
  const own = new CheckedCharge(scope, key, limits, cost)
  if (more.length === 0) return limits.length === 0 ? NO_CHARGES : own.alone
  const ofRoute = new ChargeOfRoute(scopeWithin(scope, route.scope), key, more, cost)
  if (limits.length === 0) return ofRoute.alone
  checkNames([own, ofRoute], false)
  return [own, ofRoute]
}

/** A charge of a route's limits, which stands first where the customer has none. */
class ChargeOfRoute extends CheckedCharge {
  readonly ofRoute = true
}

/** The customer's limits, which stand first; `undefined` where they are to be found. */
function ownLimitsIn([first]: readonly Charge[]): readonly Limit[] | undefined {
  return first === undefined || 'ofRoute' in first ? undefined : first.limits
}

const NO_CHARGES: readonly Charge[] = []
const NO_LIMITS: readonly Limit[] = []

function limitsOf<Request>(
  limits: PlainCharging<Request>['limits'],
  key: string,
  request: Request,
  scope: string,
  isShared: boolean,
): MaybePromise<readonly Limit[]> {
  if (typeof limits === 'function') return whenChecked(limits(key, request), 'limits()')
  return 'limitsFor' in limits ? whenChecked(limits.limitsFor(key, scope, isShared), 'limitsFor()') : limits
}

/** The limits that apply on a route besides the plan's. */
function routeLimitsOf<Request>(
  { scope, limits }: RouteOptions<Request>,
  source: PlainCharging<Request>['limits'],
  key: string,
  request: Request,
  isShared: boolean,
): MaybePromise<readonly Limit[]> {
  if (typeof limits === 'function') return whenChecked(limits(key, request), 'limits() of with()')
  if (limits !== undefined || scope === undefined) return limits ?? NO_LIMITS
  return 'limitsFor' in source ? whenChecked(source.limitsFor(key, scope, isShared), 'limitsFor()') : NO_LIMITS
}

function whenChecked(limits: MaybePromise<readonly Limit[]>, subject: string): MaybePromise<readonly Limit[]> {
  return chain(limits, (found) => checkedLimits(found, subject))
}

/** The scope of a route or a charge within the limiter's. */
export function scopeWithin(scope: string, inner: string | undefined): string {
  if (inner === undefined || inner === '') return scope
  return scope === '' ? inner : `${scope}.${inner}`
}

/** The cost of a request, checked. @throws RailError `RAIL_BAD_COST` */
export function costOf<Request>(
  request: Request,
  cost: number | ((request: Request) => MaybePromise<number>),
): MaybePromise<number> {
  if (typeof cost === 'number') return cost
  return chain(cost(request), (found) => {
    checkCost(found, 'cost()')
    return found
  })
}

function checkIdentity(key: unknown): asserts key is string {
  if (key === undefined) {
    const toDo = advice('Mount the limiter after authentication. (null means "do not limit".)')
    throw unexpected('RAIL_NO_IDENTITY', 'identify()', "a customer's key", key, toDo)
  }
  checkKey(key, 'identify()')
}
