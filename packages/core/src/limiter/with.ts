import { advice } from '../base/advice.js'
import { COST, checkOption, checkOptionNames, isCost, isFunction, isString } from '../base/check.js'
import { railError } from '../base/errors.js'
import { isLimitSource } from '../bucket/limit-source.js'
import { type Charge, chargesBeside } from '../limit/charge.js'
import { checkedForGood, checkNames } from '../limit/check-limits.js'
import { scopeWithin } from './charging.js'
import type { LimiterOptions, RouteOptions } from './options.js'

/**
 * The route that `more` makes of an `earlier` one, whose options stay where `more` has none.
 *
 * @throws RailError for options that are wrong for this limiter, when the middleware is made
 */
export function routeOf<Request>(
  earlier: RouteOptions<Request>,
  more: RouteOptions<Request>,
  limiter: LimiterOptions<Request>,
): RouteOptions<Request> {
  checkOptionNames(more, ['cost', 'scope', 'limits'], 'with()')
  const { cost = earlier.cost, scope = earlier.scope, limits: given = earlier.limits } = more
  const limits = Array.isArray(given) ? checkedForGood(given, 'limits of with()') : given
  const route = { cost, scope, limits }
  checkRoute(route, limiter)
  return route
}

function checkRoute<Request>(route: RouteOptions<Request>, limiter: LimiterOptions<Request>): void {
  const { cost, scope, limits } = route
  checkOption('cost', cost, COST, isCost)
  checkOption('scope', scope, 'a string', isString)
  checkOption(
    'limits',
    limits,
    'an array of limits, or a function',
    (value) => Array.isArray(value) || isFunction(value),
  )
  if (Array.isArray(limits)) {
    if (Array.isArray(limiter.limits)) {
      const own = { scope: limiter.scope, key: '', limits: limiter.limits, cost: 0 }
      checkNames([own, { scope: scopeWithin(limiter.scope ?? '', scope), key: '', limits, cost: 0 }], false)
    }
  }
  if (limiter.charges !== undefined && (scope !== undefined || limits !== undefined)) {
    const toDo = advice('Return scope and limits from the function of several().')
    throw railError('RAIL_BAD_OPTION', 'with(): expected cost alone beside charges', toDo)
  }
  if (scope !== undefined && limits === undefined && !isLimitSource(limiter.limits)) {
    const toDo = advice(
      'Write with({ scope, limits }): only a source, such as a plan book, knows the limits of a scope.',
    )
    throw railError('RAIL_BAD_OPTION', 'with(): expected limits beside the scope', toDo)
  }
}

/**
 * The charges of a request with those that were charged for it before, elsewhere on the same limiter: buckets that were
 * charged before and are not among `charges` stay charged.
 */
export function withKept(charges: readonly Charge[], before: readonly Charge[]): readonly Charge[] {
  return before.length === 0 ? charges : [...charges, ...chargesBeside(before, charges)]
}
