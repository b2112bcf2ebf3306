import { suggestionFor } from '../base/check.js'
import { RailError, shown } from '../base/errors.js'
import type { MaybePromise } from '../base/maybe-promise.js'
import { chain, isPromise } from '../base/maybe-promise.js'
import { type Charge, chargesBeside, checkCost, checkKey } from '../limit/charge.js'
import { checkLimits, checkNames } from '../limit/check-limits.js'
import type { Limit } from '../limit/limit.js'
import type { LimiterOptions, RouteOptions } from './options.js'

/**
 * What a request is charged, by the limiter's options and its route's: `[]` when it is not counted. `before` is what the
 * same request has been charged already, elsewhere on the same limiter.
 *
 * @throws RailError when the user's functions return what no one may be limited by; it is never taken for "unlimited"
 */
export function chargesFor<Request>(
  request: Request,
  options: LimiterOptions<Request> & { readonly scope: string },
  route: RouteOptions<Request>,
  before: readonly Charge[],
): MaybePromise<readonly Charge[]> {
  if (options.charges !== undefined) {
    return chain(options.charges(request), (found) => {
      const charges = checkedCharges(found, options.scope)
      if (route.cost === undefined && before.length === 0) return charges
      return chain(costOf(request, route.cost, 0), (cost) =>
        withBefore(route.cost === undefined ? charges : charges.map((charge) => ({ ...charge, cost })), before),
      )
    })
  }
  const key = options.identify(request)
  return isPromise(key)
    ? key.then((found) => chargesOf(found, request, options, route, before))
    : chargesOf(key, request, options, route, before)
}

/**
 * Checks the limits that every request on a route is asked: the limiter's, and the route's own.
 *
 * @throws RailError `RAIL_DUPLICATE_NAME`
 */
export function checkRouteNames<Request>(
  limits: readonly Limit[],
  scope: string | undefined,
  own: readonly Limit[],
  route: RouteOptions<Request>,
): void {
  const ofRoute = { scope: within(scope ?? '', route.scope), key: '', limits: own, cost: 0 }
  checkNames([{ scope, key: '', limits, cost: 0 }, ofRoute], false)
}

type PlainOptions<Request> = Extract<LimiterOptions<Request>, { charges?: undefined }> & { readonly scope: string }

function chargesOf<Request>(
  key: string | null,
  request: Request,
  options: PlainOptions<Request>,
  route: RouteOptions<Request>,
  before: readonly Charge[],
): MaybePromise<readonly Charge[]> {
  if (key === null) return NONE
  checkIdentity(key)
  const limits = limitsFor(request, key, options)
  const cost = route.cost ?? options.cost ?? 1
  // The usual case, where there is nothing to wait for.
  if (route.scope === undefined && route.limits === undefined && typeof cost === 'number' && !isPromise(limits)) {
    return charged(key, limits, NO_LIMITS, cost, options, route, before)
  }
  return chain(limits, (found) =>
    chain(routeLimitsFor(request, key, options, route), (more) =>
      chain(costOf(request, cost, 1), (ownCost) => charged(key, found, more, ownCost, options, route, before)),
    ),
  )
}

function charged<Request>(
  key: string,
  limits: readonly Limit[],
  more: readonly Limit[],
  ownCost: number,
  { scope }: PlainOptions<Request>,
  route: RouteOptions<Request>,
  before: readonly Charge[],
): readonly Charge[] {
  const cost = route.cost === undefined ? Math.max(ownCost, before[0]?.cost ?? 0) : ownCost
  if (more === NO_LIMITS && before.length === 0) return limits.length === 0 ? NONE : [{ scope, key, limits, cost }]
  const charges = [
    { scope, key, limits, cost },
    { scope: within(scope, route.scope), key, limits: more, cost },
  ].filter((charge) => charge.limits.length > 0)
  if (charges.length > 1) checkNames(charges, false)
  return withBefore(charges, before)
}

const NONE: readonly Charge[] = Object.freeze([])
const NO_LIMITS: readonly Limit[] = Object.freeze([])

function limitsFor<Request>(
  request: Request,
  key: string,
  { limits, scope }: PlainOptions<Request>,
): MaybePromise<readonly Limit[]> {
  if (typeof limits === 'function') return chain(limits(key, request), (found) => checkedLimits(found, LIMITS_FUNCTION))
  if ('limitsFor' in limits) return chain(limits.limitsFor(key, scope), (found) => checkedLimits(found, SOURCE))
  return limits
}

/** The limits that hold on a route beside the plan's. */
function routeLimitsFor<Request>(
  request: Request,
  key: string,
  options: Extract<LimiterOptions<Request>, { charges?: undefined }>,
  { scope, limits }: RouteOptions<Request>,
): MaybePromise<readonly Limit[]> {
  if (typeof limits === 'function') return chain(limits(key, request), (found) => checkedLimits(found, ROUTE_FUNCTION))
  if (limits !== undefined) return limits
  if (scope === undefined) return NO_LIMITS
  const source = options.limits
  if (typeof source === 'function' || !('limitsFor' in source)) return NO_LIMITS
  return chain(source.limitsFor(key, scope), (found) => checkedLimits(found, SOURCE))
}

const LIMITS_FUNCTION = 'What limits(key, request) returns'
const ROUTE_FUNCTION = 'What the limits(key, request) of with() returns'
const SOURCE = 'What limitsFor(key, scope) returns'

/** The scope of a route or a charge within the limiter's. */
function within(scope: string, inner: string | undefined): string {
  if (inner === undefined || inner === '') return scope
  return scope === '' ? inner : `${scope}.${inner}`
}

function costOf<Request>(
  request: Request,
  cost: number | ((request: Request) => MaybePromise<number>) | undefined,
  fallback: number,
): MaybePromise<number> {
  if (cost === undefined) return fallback
  if (typeof cost === 'number') return cost
  return chain(cost(request), (found) => {
    checkCost(found, 'What cost(request) returns')
    return found
  })
}

function checkedLimits(limits: readonly Limit[], where: string): readonly Limit[] {
  checkLimits(limits, where)
  return limits
}

function checkIdentity(key: unknown): asserts key is string {
  if (key === undefined) {
    throw new RailError(
      'RAIL_NO_IDENTITY',
      'identify(request) returned undefined. Return a key, or null for an anonymous request. (Is the limiter mounted before authentication?)',
    )
  }
  checkKey(key, 'What identify(request) returns')
}

/** The charges in the limiter's scope, as objects of its own: the user's may be of a class, or change before settle. */
function checkedCharges(charges: unknown, scope: string): readonly Charge[] {
  if (!Array.isArray(charges)) {
    throw new RailError(
      'RAIL_BAD_CHARGES',
      `What charges(request) returns is an array of charges, got ${shown(charges)}. Return [{ key, limits, cost }], or [].`,
    )
  }
  const own: Charge[] = []
  for (const charge of charges) {
    checkCharge(charge)
    const { key, limits, cost } = charge
    own.push({ scope: within(scope, charge.scope), key, limits, cost })
  }
  checkNames(own)
  return own
}

function checkCharge(charge: unknown): asserts charge is Charge {
  if (typeof charge !== 'object' || charge === null) {
    throw new RailError(
      'RAIL_BAD_CHARGES',
      `A charge is { key, limits, cost } and perhaps scope, got ${shown(charge)}. Return such objects.`,
    )
  }
  const { key, limits, cost, scope } = charge as Record<string, unknown>
  checkKey(key, 'The key of a charge')
  checkCost(cost, 'The cost of a charge')
  checkLimits(limits, 'The limits of a charge')
  if (scope !== undefined && typeof scope !== 'string') {
    throw new RailError(
      'RAIL_BAD_CHARGES',
      `The scope of a charge is a text, got ${shown(scope)}. Give one, or leave it out.`,
    )
  }
  // A mistyped scope would be counted in none.
  for (const name in charge) {
    if (CHARGE_NAMES.includes(name) || !Object.hasOwn(charge, name)) continue
    throw new RailError(
      'RAIL_BAD_CHARGES',
      `A charge has no property "${name}".${suggestionFor(name, CHARGE_NAMES)} It is { key, limits, cost } and perhaps scope. Leave out the rest.`,
    )
  }
}

const CHARGE_NAMES = ['key', 'limits', 'cost', 'scope']

/** The charges with those before that are on other buckets: these stay as they were charged. */
function withBefore(charges: readonly Charge[], before: readonly Charge[]): readonly Charge[] {
  if (before.length === 0) return charges
  return [...charges.filter((charge) => charge.limits.length > 0), ...chargesBeside(before, charges)]
}
