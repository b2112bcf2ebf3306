import { readClock } from '../base/clock.js'
import { hookError, isRailError, throwError } from '../base/errors.js'
import { attempt, chain, type MaybePromise } from '../base/maybe-promise.js'
import { createNotes } from '../base/notes.js'
import type { Decision } from '../bucket/decision.js'
import type { Store } from '../bucket/store.js'
import { replacing } from '../headers/field.js'
import type { Answer } from './answer.js'
import type { LimiterOptions, RouteOptions } from './options.js'
import { NOT_COUNTED, type Outcome } from './outcome.js'
import { RequestRecord, type Turn } from './request-record.js'
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
  const { sameRequest = asIs, ahead } = framework ?? {}
  const settings = settingsOf(options, framework)
  const { store, clock, skip, earlier, chargesFor, answerTo, reporter, watch } = settings
  const records = createNotes<RequestRecord>(framework?.reshaped)
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
      of: (request) => (isObject(request) ? records.get(sameRequest(request))?.outcome : undefined),
    }
  }

  /** Counts a request once for each route. Concurrent calls wait: each must know what those before it have taken. */
  function once(request: Request, route: RouteOptions<Request>): MaybePromise<Outcome> {
    const same = isObject(request) ? sameRequest(request) : undefined
    const known = same && earlier(records, same)
    const record = known ?? new RequestRecord()
    const next = (): MaybePromise<Outcome> =>
      record.answers(route) ? repeated(record) : record.keep(counted(request, route, record))
    record.pending = 'then' in record.pending ? record.pending.then(next, next) : next()
    if (same !== undefined && known === undefined) records.set(same, record)
    return record.pending
  }

  function repeated(record: RequestRecord): Outcome {
    watch.repeated(++record.repeats)
    return record.outcome
  }

  /** The way of one request: skip it, or find its charges, take them from the store, and answer. */
  function counted(request: Request, route: RouteOptions<Request>, record: RequestRecord): MaybePromise<Outcome> {
    // A request that was charged is not skipped afterwards.
    return chain(record.charges.length === 0 && skip(request), (skipped) => {
      if (skipped) return NOT_COUNTED
      return chain(chargesFor(request, route, record.charges), (charges) => {
        if (charges.length === 0) return NOT_COUNTED
        watch.charged()
        const turn: Turn<Request> = { request, route, record, charges, now: readClock(clock) }
        return attempt(
          () => store.take(charges, turn.now, record.chargedIn(store)),
          (decision) => {
            reporter.storeWorks('take', turn.now)
            return answer(turn, store, decision)
          },
          (error) => withoutStore(turn, error),
        )
      })
    })
  }

  function answer(turn: Turn<Request>, from: Store, decision: Decision): MaybePromise<Outcome> {
    turn.record.remember(decision.allowed ? turn.charges : [], from, turn)
    if (decision.allowed) return announce(turn, decision)
    return chain(settings.longestWait(turn, from, decision, routesAhead), (longest) => announce(turn, longest))
  }

  /** The routes of this limiter that a refused request would have met next, as far as its framework knows them. */
  function routesAhead({ request, record }: Turn<Request>): readonly RouteOptions<Request>[] {
    const limiters = routes === undefined ? [] : (ahead?.(request) ?? [])
    const found = limiters.map((limiter) => routes?.get(limiter as object))
    return found.filter((route) => route !== undefined && !record.answers(route)) as RouteOptions<Request>[]
  }

  function announce({ request, record, now }: Turn<Request>, decision: Decision): MaybePromise<Outcome> {
    const earlier = record.counted
    reporter.warnIfNeverFits(decision)
    callHooks(decision, request, earlier.decision)
    const outcomeOf = ({ headers, refusal }: Answer): Outcome => ({
      decision,
      headers: replacing(earlier.headers, headers),
      refusal,
      settle: (actualCost) => settle(record, actualCost),
    })
    const sent = answerTo(decision, now, request)
    return 'then' in sent ? sent.then(outcomeOf) : outcomeOf(sent)
  }

  function withoutStore(turn: Turn<Request>, error: unknown): MaybePromise<Outcome> {
    if (isRailError(error) && error.code !== 'RAIL_STORE_FAILED') throw error
    reporter.storeFailed('take', error, turn.now)
    // The charge may have been taken all the same: to charge this route again could charge the request twice.
    turn.record.decided(turn.route)
    return settings.withoutStore(turn, answer)
  }

  function callHooks(decision: Decision, request: Request, earlier: Decision | undefined): void {
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

const asIs = (request: object): object => request

function ignore(): void {}
