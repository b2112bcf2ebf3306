import type { Charge } from './charge.js'
import { checkRouteNames } from './charging.js'
import { type Clock, monotonicClock } from './clock.js'
import type { Decision } from './decision.js'
import { RailError } from './errors.js'
import { checkStyles, type HeaderStyle } from './header-styles.js'
import type { Limit } from './limit.js'
import { MemoryStore } from './memory-store.js'
import type { Shape } from './notes.js'
import { type Check, checkOption, checkOptionNames, isWholeFrom } from './options.js'
import { skipOf } from './preflight.js'
import { checkBody, type RefusalBody } from './problem.js'
import { REFUSAL_CHECKS, type Refusal, type RefusalOptions } from './refusal.js'
import { checkLimits, type LimitSource } from './source.js'
import type { MaybePromise, Store } from './store.js'

/** A body of the user's own for a refusal: an object sent as JSON, or text (`text/plain` unless `type` says otherwise). */
export type RejectReply = { readonly json: unknown } | { readonly text: string; readonly type?: string | undefined }

/** What every limiter and adapter takes, whatever the framework. */
export interface LimiterSettings<Request> extends RefusalOptions {
  /** Where buckets live. @default a new MemoryStore */
  readonly store?: Store | undefined
  /** Keeps this limiter's buckets apart from another's in the same store. @default '' */
  readonly scope?: string | undefined
  /**
   * How limits are told to clients: a style, several, or `false` (not, but refusals keep `Retry-After`). Two styles that
   * write one field differently are an error. @default 'draft-11'
   */
  readonly headers?: HeaderStyle | readonly HeaderStyle[] | false | undefined
  /** Adds the names of the fields sent to `Access-Control-Expose-Headers`, so that browsers' scripts may read them. @default false */
  readonly exposeHeaders?: boolean | undefined
  /** The body of a refusal: a small JSON object, or problem details (RFC 9457), which may be your own. @default 'json' */
  readonly body?: RefusalBody<Request> | undefined
  /** Replaces the body of a refusal. Status and headers stay, whatever it returns; if it throws, the default is sent. */
  readonly onReject?: ((refusal: Refusal, request: Request) => MaybePromise<RejectReply | undefined>) | undefined
  /** Requests for which this returns true are not counted at all. */
  readonly skip?: ((request: Request) => MaybePromise<boolean>) | undefined
  /** Does not count CORS preflights, which carry no credentials: what has `Authorization` or `Cookie` is none. @default false */
  readonly skipPreflights?: boolean | undefined
  /** Takes tokens and tells `onDecision`, but sends no headers and refuses nothing. @default false */
  readonly dryRun?: boolean | undefined
  /**
   * What happens when the store fails: the request goes on, is refused with 503, or is counted in this process at
   * `share(limit, servers)`. @default 'allow'
   */
  readonly onStoreFailure?: 'allow' | 'refuse' | 'local' | undefined
  /** On how many servers the limit is divided when the store fails and buckets are local. @default 1 */
  readonly servers?: number | (() => number) | undefined
  /** Told of each decision. `earlier`: the one that this replaces, where a costlier route asked again for one request. */
  readonly onDecision?: ((decision: Decision, request: Request, earlier: Decision | undefined) => void) | undefined
  /** Told of what went wrong without stopping a request. Never changes an answer; what it throws goes nowhere. */
  readonly onError?: ((error: unknown) => void) | undefined
  /**
   * Milliseconds; for tests, or where time comes from elsewhere. `X-RateLimit-Reset` is counted from its reading, so it
   * should be milliseconds since 1970 where that is sent. Limiters on one memory store need one clock: two whose readings
   * differ fill each other's buckets. @default monotonic, performance.now; Date.now for that field
   */
  readonly clock?: Clock | undefined
}

/** Who is charged, by which limits, how much: the usual three. */
export interface PlainCharging<Request> {
  /** Whom a request is counted under: a key, or `null` for an anonymous request, which is not counted. */
  readonly identify: (request: Request) => MaybePromise<string | null>
  /** The limits of a key: always the same, from a source, or by a function. `[]` is no limit. */
  readonly limits: readonly Limit[] | LimitSource | ((key: string, request: Request) => MaybePromise<readonly Limit[]>)
  /** Tokens a request takes. @default 1 */
  readonly cost?: number | ((request: Request) => MaybePromise<number>) | undefined
  readonly charges?: undefined
}

/** Several charges at once, all or nothing, instead of the usual three. */
export interface SeveralCharges<Request> {
  /**
   * What a request is charged: for instance an OAuth client, and one of its users. A scope is within
   * the limiter's (`api.users`). `[]`: not counted.
   */
  readonly charges: (request: Request) => MaybePromise<readonly Charge[]>
  readonly identify?: undefined
  readonly limits?: undefined
  readonly cost?: undefined
}

/** The options of {@link createLimiter}. */
export type LimiterOptions<Request> = LimiterSettings<Request> & (PlainCharging<Request> | SeveralCharges<Request>)

/** What makes a route costlier or tighter than the limiter it belongs to. */
export interface RouteOptions<Request> {
  /** Tokens a request takes here. @default the limiter's cost */
  readonly cost?: number | ((request: Request) => MaybePromise<number>) | undefined
  /** Limits that hold here beside the plan's: the source's for this scope, or those of `limits`. */
  readonly scope?: string | undefined
  /** Limits that hold here beside the plan's, counted in `scope`. */
  readonly limits?: readonly Limit[] | ((key: string, request: Request) => MaybePromise<readonly Limit[]>) | undefined
}

/** How to read what a limiter must know of a framework's request: whether it is a CORS preflight. */
export interface RequestReader<Request> extends Shape {
  method(request: Request): string
  /** A header field by its lower-case name. */
  header(request: Request, name: string): string | undefined
  /** The options that the adapter takes beside all of these. @default [] */
  readonly ownOptions?: readonly string[] | undefined
}

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
