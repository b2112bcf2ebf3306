import { readClock } from '../base/clock.js'
import { hookError, isRailError, throwError } from '../base/errors.js'
import { attempt, isPromise, type MaybePromise, pass } from '../base/maybe-promise.js'
import type { Decision } from '../bucket/decision.js'
import type { Store } from '../bucket/store.js'
import type { Charge } from '../limit/charge.js'
import type { LimiterOptions, RouteOptions } from './options.js'
import { NOT_COUNTED, type Outcome } from './outcome.js'
import { Records } from './records.js'
import { RequestRecord, Turn } from './request-record.js'
import { type Framework, isObject, settingsOf } from './settings.js'

/** Counts requests. It is generic over the request and never looks inside it. */
export interface Limiter<Request> {
  /**
   * Counts a request and returns what to do with it: at once where all that it needs is synchronous, else a promise. For a
   * request object that it knows it returns the same outcome: one limiter counts one request once.
   *
   * @throws RailError (or rejects with it) where `identify`, `limits`, `cost` or `charges` return a wrong value; errors of
   * theirs are thrown again. Nothing is taken then.
   */
  take(request: Request): MaybePromise<Outcome>
  /**
   * The same limiter and store for a costlier or tighter route. A request that was counted before pays the difference.
   *
   * @throws RailError for wrong options
   */
  with(route: RouteOptions<Request>): Limiter<Request>
  /** This limiter's latest outcome for a request; `undefined` if it has not counted it. */
  of(request: Request): Outcome | undefined
}

/**
 * Makes a limiter: whose request is it (`identify`), which limits apply (`limits`), how much does it cost (`cost`), is there
 * room (`store`), and what is sent. Adapters pass their framework's request and carry out the outcome.
 *
 * @example
 * const limiter = createLimiter({ identify: (customer: string) => customer, limits: [perSecond(10), perMinute(300)] })
 * const { refusal } = await limiter.take('acme')
 *
 * @throws RailError `RAIL_BAD_OPTION`, `RAIL_UNKNOWN_OPTION`, … for wrong options
 */
export function createLimiter<Request>(
  options: LimiterOptions<Request>,
  framework?: Framework<Request>,
): Limiter<Request> {
  const settings = settingsOf(options, framework)
  const { store, clock, skip, chargesFor, answerTo, reporter, watch } = settings
  const recording = { settle }
  const records = new Records<Request>(recording, framework?.bag)
  /** The routes that `with` has made, by their limiters. */
  let routes: WeakMap<object, RouteOptions<Request>> | undefined

  function limiterFor(route: RouteOptions<Request>): Limiter<Request> {
    return {
      take: (request) => {
        try {
          const outcome = once(request, route)
          return 'then' in outcome ? outcome.then(undefined, throwError) : outcome
        } catch (thrown) {
          return throwError(thrown)
        }
      },
      with: (more) => {
        const both = settings.routeOf(route, more)
        const limiter = limiterFor(both)
        routes ??= new WeakMap()
        routes.set(limiter, both)
        return limiter
      },
      of: (request) => (isObject(request) ? records.find(request)?.outcome : undefined),
    }
  }

  /** Counts a request once for each route. Concurrent calls wait: each must know what those before it have taken. */
  function once(request: Request, route: RouteOptions<Request>): MaybePromise<Outcome> {
    const turn = new Turn(request, route, recordOf(request))
    const { record } = turn
    record.pending = 'then' in record.pending ? waited(record.pending, turn) : answered(turn)
    return record.pending
  }

  function recordOf(request: Request): RequestRecord {
    if (!isObject(request)) return new RequestRecord(recording)
    return (settings.once ? records.find(request) : undefined) ?? records.make(request)
  }

  function waited(pending: PromiseLike<Outcome>, turn: Turn<Request>): PromiseLike<Outcome> {
    const next = (): MaybePromise<Outcome> => answered(turn)
    return pending.then(next, next)
  }

  function answered(turn: Turn<Request>): MaybePromise<Outcome> {
    const { record, route } = turn
    if (!record.answers(route)) return record.keep(counted(turn))
    watch.repeated(++record.repeats)
    return record.outcome
  }

  // The way of one request: skip it, or find its charges, take them from the store, and answer. Any step may be a promise.

  function counted(turn: Turn<Request>): MaybePromise<Outcome> {
    const { request, record } = turn
    // A request that was charged is not skipped afterwards.
    return pass(record.charges.length === 0 && skip(request), charge, turn)
  }

  function charge(skipped: boolean, turn: Turn<Request>): MaybePromise<Outcome> {
    return skipped ? NOT_COUNTED : pass(chargesFor(turn.request, turn.route, turn.record.charges), take, turn)
  }

  function take(charges: readonly Charge[], turn: Turn<Request>): MaybePromise<Outcome> {
    if (charges.length === 0) return NOT_COUNTED
    watch.charged()
    turn.charges = charges
    turn.now = readClock(clock)
    let decision: MaybePromise<Decision>
    try {
      decision = store.take(charges, turn.now, turn.record.chargedIn(store))
    } catch (error) {
      return withoutStore(turn, error)
    }
    return isPromise(decision) ? later(decision, turn) : taken(decision, turn)
  }

  function later(decision: PromiseLike<Decision>, turn: Turn<Request>): PromiseLike<Outcome> {
    return decision.then(
      (found) => taken(found, turn),
      (error) => withoutStore(turn, error),
    )
  }

  function taken(decision: Decision, turn: Turn<Request>): MaybePromise<Outcome> {
    reporter.storeWorks('take', turn.now)
    return answer(turn, store, decision)
  }

  function answer(turn: Turn<Request>, from: Store, decision: Decision): MaybePromise<Outcome> {
    turn.record.remember(decision.allowed ? turn.charges : [], from, turn)
    if (decision.allowed) return announce(decision, turn)
    return pass(settings.longestWait(turn, from, decision, routesAhead), announce, turn)
  }

  /** The routes of this limiter that a refused request would have met next, as far as its framework knows them. */
  function routesAhead({ request, record }: Turn<Request>): readonly RouteOptions<Request>[] {
    const limiters = routes === undefined ? [] : (framework?.ahead?.(request) ?? [])
    const found = limiters.map((limiter) => routes?.get(limiter as object))
    return found.filter((route) => route !== undefined && !record.answers(route)) as RouteOptions<Request>[]
  }

  function announce(decision: Decision, turn: Turn<Request>): MaybePromise<Outcome> {
    reporter.warnIfNeverFits(decision)
    callHooks(decision, turn)
    return answerTo(turn, decision)
  }

  function withoutStore(turn: Turn<Request>, error: unknown): MaybePromise<Outcome> {
    if (isRailError(error) && error.code !== 'RAIL_STORE_FAILED') throw error
    reporter.storeFailed('take', error, turn.now)
    // The charge may have been taken all the same: to charge this route again could charge the request twice.
    turn.record.decided(turn.route)
    return settings.withoutStore(turn, answer)
  }

  function callHooks(decision: Decision, { request, record }: Turn<Request>): void {
    const earlier = record.counted.decision
    for (const hook of settings.decisionHooks) attempt(() => hook(decision, request, earlier), ignore, hookFailed)
  }

  function hookFailed(cause: unknown): void {
    reporter.report(hookError('onDecision()', cause, 'The decision stands.'))
  }

  function settle(record: RequestRecord, actualCost: number): void {
    let now: number | undefined
    const failed = (error: unknown): void => {
      if (isRailError(error) && error.code !== 'RAIL_STORE_FAILED') reporter.report(error)
      else reporter.storeFailed('settle', error, now ?? 0)
    }
    const read = (): number => {
      now = readClock(clock)
      return now
    }
    attempt(
      () => settings.settle(record, actualCost, read),
      () => {
        if (now !== undefined && record.chargedIn(store) !== undefined) reporter.storeWorks('settle', now)
      },
      failed,
    )
  }

  return limiterFor({})
}

function ignore(): void {}
