import { type Check, checkOption, checkOptionNames, isWholeFrom } from '../base/check.js'
import { type Clock, monotonicClock } from '../base/clock.js'
import { RailError } from '../base/errors.js'
import type { LimitSource } from '../bucket/limit-source.js'
import type { Store } from '../bucket/store.js'
import { checkStyles, type HeaderStyle } from '../headers/older-styles.js'
import { checkBody } from '../headers/problem.js'
import { REFUSAL_CHECKS } from '../headers/refusal.js'
import { checkLimits } from '../limit/check-limits.js'
import { MemoryStore } from '../memory/memory-store.js'
import { checkRouteNames } from './charging.js'
import type { LimiterOptions, RequestReader, RouteOptions } from './options.js'
import { skipOf } from './preflight.js'
/** The options with their defaults. */
export type Settings<Request> = LimiterOptions<Request> & {
  readonly store: Store
  readonly scope: string
  readonly styles: readonly HeaderStyle[]
  readonly clock: Clock
  /** Whether the clock is the user's: then its reading is also sent where a moment since 1970 is. */
  readonly clockIsEpoch: boolean
}

/** Checks options and fills in defaults. @throws RailError for anything wrong, when the limiter is made */
export function settingsOf<Request>(
  options: LimiterOptions<Request>,
  reader?: RequestReader<Request>,
): Settings<Request> {
  checkOptionNames(options, [...OPTION_NAMES, ...(reader?.ownOptions ?? [])], 'A limiter', UNCALLED)
  for (const [name, expected, passes, advice] of CHECKS) checkOption(name, options[name], expected, passes, advice)
  checkCharging(options)
  const { store = new MemoryStore(), scope = '', headers = 'draft-11', clock = monotonicClock } = options
  const styles = checkStyles(headers)
  checkBody(options.body)
  const clockIsEpoch = options.clock !== undefined
  return { ...allOf(options), store, scope, styles, clock, clockIsEpoch, skip: skipOf(options, reader) }
}

/** The options as an object of their own, with those that a class has as methods, which a spread leaves behind. */
function allOf<Request>(options: LimiterOptions<Request>): LimiterOptions<Request> {
  const all = OPTION_NAMES.map((name) => [name, options[name as keyof LimiterOptions<Request>]])
  return Object.fromEntries(all) as LimiterOptions<Request>
}

/**
 * The route that `more` makes of an `earlier` one, which stands for what `more` does not say.
 *
 * @throws RailError for what the two come to under the limiter's options, when the middleware is made
 */
export function routeOf<Request>(
  earlier: RouteOptions<Request>,
  more: RouteOptions<Request>,
  limiter: LimiterOptions<Request>,
): RouteOptions<Request> {
  checkOptionNames(more, ROUTE_NAMES, 'with()')
  const { cost = earlier.cost, scope = earlier.scope, limits = earlier.limits } = more
  const route = { cost, scope, limits }
  checkRoute(route, limiter)
  return route
}

function checkRoute<Request>(route: RouteOptions<Request>, limiter: LimiterOptions<Request>): void {
  checkOption('cost', route.cost, COST, isCost)
  checkOption('scope', route.scope, 'a text', isText)
  checkOption(
    'limits',
    route.limits,
    'an array of limits, or a function',
    (value) => Array.isArray(value) || isFunction(value),
  )
  if (Array.isArray(route.limits)) {
    checkLimits(route.limits, 'The option limits of with()')
    if (Array.isArray(limiter.limits)) checkRouteNames(limiter.limits, limiter.scope, route.limits, route)
  }
  if (limiter.charges !== undefined && (route.scope !== undefined || route.limits !== undefined)) {
    throw new RailError(
      'RAIL_BAD_OPTION',
      'A limiter with charges takes only cost in with(). Return the rest from charges.',
    )
  }
  if (route.scope !== undefined && route.limits === undefined && !isSource(limiter.limits)) {
    throw new RailError(
      'RAIL_BAD_OPTION',
      `with({ scope: '${route.scope}' }) needs limits too: only a source (a plan book) knows the limits of a scope by itself. Write { scope, limits }.`,
    )
  }
}

const IDENTIFY = 'Write identify: (request) => request.customer.id.'
const COST = 'a whole number of tokens from 0, or a function'
const isFunction = (value: unknown): boolean => typeof value === 'function'
const isSource = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && isFunction((value as Partial<LimitSource>).limitsFor)
const isText = (value: unknown): boolean => typeof value === 'string'
const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
const isCost = (value: unknown): boolean => isFunction(value) || isWholeFrom(0)(value)
const isStore = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  ['take', 'peek', 'settle', 'reset'].every((name) => isFunction((value as Record<string, unknown>)[name]))

const CHECKS: readonly Check<keyof LimiterOptions<unknown>>[] = [
  ['identify', 'a function', isFunction, IDENTIFY],
  ['charges', 'a function', isFunction],
  ['cost', COST, isCost],
  ['store', 'a store, with take, peek, settle and reset', isStore],
  ['scope', 'a text', isText],
  ['exposeHeaders', 'true or false', isBoolean],
  ...REFUSAL_CHECKS,
  ['onReject', 'a function', isFunction],
  ['skip', 'a function', isFunction],
  ['skipPreflights', 'true or false', isBoolean],
  ['dryRun', 'true or false', isBoolean],
  [
    'onStoreFailure',
    "'allow', 'refuse' or 'local'",
    (value) => value === 'allow' || value === 'refuse' || value === 'local',
  ],
  ['servers', 'a whole number from 1, or a function', (value) => isFunction(value) || isWholeFrom(1)(value)],
  ['onDecision', 'a function', isFunction],
  ['onError', 'a function', isFunction],
  ['clock', 'a function that returns milliseconds', isFunction],
]

/** What a framework's request in place of options comes of. */
const UNCALLED = 'rateLimit is to be called, and what it returns mounted: app.use(rateLimit({ identify, limits })).'

const OPTION_NAMES = [...CHECKS.map(([name]) => name), 'limits', 'headers', 'body']
const ROUTE_NAMES = ['cost', 'scope', 'limits']

function checkCharging<Request>(options: LimiterOptions<Request>): void {
  const { identify, limits, cost, charges } = options
  if (charges !== undefined) {
    if (identify === undefined && limits === undefined && cost === undefined) return
    throw new RailError(
      'RAIL_BAD_OPTION',
      'The option charges stands instead of identify, limits and cost, not beside them. Leave it out, or all of those.',
    )
  }
  if (identify === undefined) {
    throw new RailError(
      'RAIL_BAD_OPTION',
      `The option identify is required: a function that returns whom a request is counted under, or null for an anonymous one. ${IDENTIFY}`,
    )
  }
  if (isFunction(limits) || isSource(limits)) return
  checkLimits(limits, 'The option limits')
}
