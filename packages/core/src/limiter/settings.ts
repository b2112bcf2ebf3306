import { advice } from '../base/advice.js'
import { COST, checkOption, checkOptionNames, isBoolean, isCost, isFunction, isString } from '../base/check.js'
import { type Clock, monotonicClock } from '../base/clock.js'
import { railError, unexpected } from '../base/errors.js'
import { chain, type MaybePromise, pass } from '../base/maybe-promise.js'
import { adviceOnLimiterOption } from '../base/suggestion.js'
import type { Decision } from '../bucket/decision.js'
import { isLimitSource } from '../bucket/limit-source.js'
import { defineLimits } from '../bucket/static-limits.js'
import { isStore, type Store } from '../bucket/store.js'
import { draft11 } from '../headers/draft-11.js'
import { styleOf } from '../headers/header-style.js'
import { checkJitter } from '../headers/refusal.js'
import { checkFieldSize, fieldSizeCheck } from '../limit/check-field-size.js'
import { checkedForGood, checkedLimits } from '../limit/check-limits.js'
import type { Limit } from '../limit/limit.js'
import { MemoryStore } from '../memory/memory-store.js'
import { type Ahead, longestWait } from './ahead.js'
import { type Announce, announced } from './announced.js'
import { type Answering, answerTo, unavailableTo, type WithBody } from './answer.js'
import { type ChargingContext, chargingBy, scopeWithin } from './charging.js'
import { checkFits } from './never-fits.js'
import type { Charging, LimiterOptions, PlainCharging, RouteOptions } from './options.js'
import type { Outcome } from './outcome.js'
import { RecordedOutcome } from './recorded-outcome.js'
import type { Bag } from './records.js'
import { replying } from './reply.js'
import { createReporter, type Reporter } from './reporter.js'
import type { RequestRecord, Turn } from './request-record.js'
import { type WithoutStore, withoutStoreFor } from './store-failure.js'
import { createWatch, type Watch } from './watch.js'
import { routeOf, withKept } from './with.js'

/** What a limiter has to know about an adapter's framework. */
export interface Framework<Request> {
  /** Where the limiter keeps what it knows of a request. @default a WeakMap, which makes garbage collections longer */
  readonly bag?: Bag<Request> | undefined
  /**
   * The limiters, as `createLimiter` and `with` made them, whose middlewares the request meets if none of them refuses it,
   * in their order; `undefined` among them is nothing. A refusal announces the longest wait of them all. @default none
   */
  ahead?(request: Request): readonly (object | undefined)[]
  /** Called before `onReject`. @default nothing */
  readonly announce?: Announce<Request> | undefined
  /** The names of the options that the adapter has besides those of every limiter. @default [] */
  readonly ownOptions?: readonly string[] | undefined
}

/** The steps of a limiter, made from its options: functions, so that the limiter itself asks about no option. */
export interface Settings<Request> {
  readonly store: Store
  readonly clock: Clock
  readonly reporter: Reporter
  readonly watch: Watch
  /** Whether another take of a request has the outcome that it has. */
  readonly once: boolean
  readonly decisionHooks: readonly ((decision: Decision, request: Request, earlier: Decision | undefined) => void)[]
  skip(request: Request): MaybePromise<boolean>
  /** The charges of a request on a route, with what it was charged before. */
  readonly chargesFor: Ahead<Request>['chargesFor']
  answerTo(turn: Turn<Request>, decision: Decision): MaybePromise<Outcome>
  readonly withoutStore: WithoutStore<Request>
  /** The decision to announce to a refused request. `routes`: those ahead of it. */
  longestWait(
    turn: Turn<Request>,
    from: Store,
    decision: Decision,
    routes: Ahead<Request>['routes'],
  ): MaybePromise<Decision>
  settle(record: RequestRecord, actualCost: number, readNow: () => number): MaybePromise<void>
  routeOf(earlier: RouteOptions<Request>, more: RouteOptions<Request>): RouteOptions<Request>
}

/** Checks the options and makes the steps of a limiter. @throws RailError for anything wrong */
export function settingsOf<Request>(given: LimiterOptions<Request>, framework?: Framework<Request>): Settings<Request> {
  checkOptionNames(given, [...OPTION_NAMES, ...(framework?.ownOptions ?? [])], 'rateLimit()', adviceOnLimiterOption)
  const options = readOnce(given)
  for (const [name, expected, passes, toDo] of CHECKS) checkOption(name, options[name], expected, passes, toDo)
  checkJitter(options.jitter)
  const { scope = '', clock = monotonicClock, jitter, dryRun = false } = options
  const reporter = createReporter(options.onError)
  const { report } = reporter
  const store: Store = options.store ?? new MemoryStore({ onError: report })
  const isShared = store.isShared === true
  const watch = createWatch(report, store, clock)
  const charging = chargingOf(options, { isShared, watch })
  // A clock of the user's also serves where a moment since 1970 is sent.
  const epochMsOf = options.clock === undefined ? () => undefined : (now: number) => now
  const answering: Answering<Request> = {
    style: styleOf(options.headers === undefined ? draft11 : options.headers),
    jitter,
    epochMsOf,
    withBody:
      options.onReject === undefined
        ? withDefaultBody
        : announced(replying(options.onReject, report), framework?.announce, report),
  }
  // A plan book has checked its plans.
  const sized = fieldSizeCheck(answering.style, Array.isArray(options.limits) || isLimitSource(options.limits))
  const allOf: typeof withKept = (charges, before) => sized(withKept(charges, before))
  const onStoreFailure = dryRun && options.onStoreFailure === 'refuse' ? 'allow' : options.onStoreFailure
  const unavailable = (turn: Turn<Request>): MaybePromise<Outcome> => unavailableTo(answering, turn)
  const chargesFor: Settings<Request>['chargesFor'] = (request, route, before) => {
    const charges = charging.chargesFor(request, route, before, scope)
    return pass(charges, allOf, before)
  }
  const failed: Ahead<Request>['failed'] = (error, now) => reporter.storeFailed('peek', error, now)
  defineLimits(store, scope, options.limits)
  checkFits(options.cost, scope, options.limits)
  checkFieldSize(answering.style, [[scope, options.limits]])
  return {
    store,
    clock,
    reporter,
    watch,
    once: options.once !== false,
    decisionHooks: hooksOf(options),
    skip: skipping(options.skip),
    chargesFor,
    answerTo: dryRun ? withoutHeaders : (turn, decision) => answerTo(answering, turn, decision),
    withoutStore: withoutStoreFor(onStoreFailure, unavailable, {
      servers: isShared ? serversOf(options.limits) : undefined,
      report,
    }),
    longestWait: dryRun
      ? (_turn, _from, decision) => decision
      : (turn, from, decision, routes) => longestWait(turn, from, decision, { routes, chargesFor, failed }),
    settle: dryRun
      ? () => {}
      : (record, actualCost, readNow) =>
          record.settle(actualCost, readNow, (decision, now) => answering.style.fieldsFor(decision, epochMsOf(now))),
    routeOf(earlier, more) {
      const route = routeOf(earlier, more, options)
      const scopeOfRoute = scopeWithin(scope, route.scope)
      const { cost = options.cost } = route
      checkFits(cost, scope, options.limits)
      checkFits(cost, scopeOfRoute, route.limits)
      checkFieldSize(answering.style, [
        [scope, options.limits],
        [scopeOfRoute, route.limits],
      ])
      defineLimits(store, scopeOfRoute, route.limits)
      return route
    },
  }
}

/** No headers, and the request goes on. */
function withoutHeaders<Request>({ record }: Turn<Request>, decision: Decision): Outcome {
  return new RecordedOutcome(record, decision, [], undefined)
}

const withDefaultBody: WithBody<unknown> = (outcome) => outcome
const never = (): boolean => false

export function isObject<T>(value: T): value is T & object {
  return typeof value === 'object' && value !== null
}

/** Only `true` skips a request: a promise, a string or an array that comes by mistake must not be a free pass. */
function skipping<Request>(skip: LimiterOptions<Request>['skip']): Settings<Request>['skip'] {
  if (skip === undefined) return never
  return (request) =>
    chain(skip(request), (answer: unknown) => {
      if (typeof answer === 'boolean') return answer
      throw unexpected('RAIL_BAD_SKIP', 'skip()', 'true or false', answer, advice('Return path === "/health".'))
    })
}

/** The number of servers by a source of limits, where it knows that. To a store that is not shared it gives shares already. */
function serversOf(limits: unknown): (() => number | undefined) | undefined {
  return isLimitSource(limits) && limits.servers !== undefined ? () => limits.servers?.() : undefined
}

/** The hooks for decisions: the source's, if it has one, and the user's. */
function hooksOf<Request>({ limits, onDecision }: LimiterOptions<Request>): Settings<Request>['decisionHooks'] {
  const hooks = onDecision === undefined ? [] : [onDecision]
  if (!isLimitSource(limits) || limits.onDecision === undefined) return hooks
  return [(decision, _request, earlier) => limits.onDecision?.(decision, earlier), ...hooks]
}

/** The options, each read once: what is checked is what is used. */
function readOnce<Request>(given: LimiterOptions<Request>): LimiterOptions<Request> {
  const options = Object.fromEntries(OPTION_NAMES.map((name) => [name, given[name as keyof typeof given]]))
  if (Array.isArray(options.limits)) options.limits = checkedForGood(options.limits, 'limits')
  return options as unknown as typeof given
}

function chargingOf<Request>(options: LimiterOptions<Request>, context: ChargingContext): Charging<Request> {
  const { identify, limits, cost, charges } = options
  if (charges !== undefined) {
    if (identify !== undefined || limits !== undefined || cost !== undefined) {
      const toDo = advice('Remove those, or charges.')
      throw railError('RAIL_BAD_OPTION', 'charges: cannot be combined with identify, limits or cost', toDo)
    }
    if (isFunction((charges as Partial<Charging<Request>>).chargesFor)) return watched(charges, context.watch)
    const toDo = advice('Import several and write charges: several((request) => [{ key, limits, cost }]).')
    throw unexpected('RAIL_BAD_OPTION', 'charges', 'a value of several()', charges, toDo)
  }
  if (!isFunction(identify)) {
    const toDo = advice('Write identify: (request) => request.customer.id.')
    throw unexpected(
      'RAIL_BAD_OPTION',
      'identify',
      "a function that returns the customer's key, or null",
      identify,
      toDo,
    )
  }
  if (!isFunction(limits) && !isLimitSource(limits)) checkedLimits(limits as readonly Limit[], 'limits')
  return chargingBy({ identify, limits, cost } as PlainCharging<Request>, context)
}

function watched<Request>({ chargesFor }: Charging<Request>, watch: Watch): Charging<Request> {
  return {
    chargesFor: (...given) =>
      chain(chargesFor(...given), (charges) => {
        watch.identified(charges[0]?.key ?? null)
        return charges
      }),
  }
}

const CHECKS: readonly (readonly [
  name: keyof LimiterOptions<unknown>,
  expected: string,
  passes: (value: unknown) => boolean,
  toDo?: string | undefined,
])[] = [
  ['cost', COST, isCost],
  ['store', 'a store, with take, peek, settle and reset', isStore, advice('Write store: new MemoryStore().')],
  ['scope', 'a string', isString],
  ['onReject', 'a function', isFunction, advice("Write onReject: () => ({ json: { error: 'slow down' } }).")],
  ['skip', 'a function', isFunction, advice("Write skip: (request) => request.path === '/health'.")],
  ['dryRun', 'true or false', isBoolean],
  ['once', 'true or false', isBoolean],
  ['onDecision', 'a function', isFunction],
  ['onError', 'a function', isFunction],
  ['clock', 'a function that returns milliseconds', isFunction],
]

const OPTION_NAMES = [
  ...CHECKS.map(([name]) => name),
  'identify',
  'limits',
  'charges',
  'headers',
  'jitter',
  'onStoreFailure',
]
