import { readClock } from '../base/clock.js'
import { isRailError, RailError, SEE_CAUSE, throwError } from '../base/errors.js'
import type { MaybePromise } from '../base/maybe-promise.js'
import { attempt, chain } from '../base/maybe-promise.js'
import { createNotes } from '../base/notes.js'
import type { Decision } from '../bucket/decision.js'
import type { Store } from '../bucket/store.js'
import { type Field, inPlaceOf } from '../headers/field.js'
import type { Charge } from '../limit/charge.js'
import { type Answer, answerTo, unavailableTo } from './answer.js'
import { chargesFor } from './charging.js'
import { watchOf } from './flap-watch.js'
import { LocalStore } from './local-store.js'
import type { LimiterOptions, RequestReader, RouteOptions } from './options.js'
import { type Outcome, UNCOUNTED } from './outcome.js'
import { createReporter } from './reporter.js'
import { Count } from './request-record.js'
import { routeOf, settingsOf } from './settings.js'

/** Counts requests; knows nothing of any framework. */
export interface Limiter<Request> {
  /**
   * Counts a request and says what to do with it: at once where everything it needs is synchronous, else as a promise.
   * Asked again about the same request object it answers what it answered: one limiter counts one request once.
   *
   * @throws RailError (or rejects with it) where `identify`, `limits`, `cost` or `charges` return what no one may be limited
   * by; what they throw themselves is thrown on. Nothing is taken then.
   */
  take(request: Request): MaybePromise<Outcome>
  /**
   * The same limiter for a costlier or tighter route, on the same store. A request that was counted before pays only the
   * difference. @throws RailError for wrong options
   */
  with(route: RouteOptions<Request>): Limiter<Request>
  /** What this limiter last answered about a request; `undefined` if it has not. */
  of(request: Request): Outcome | undefined
}

/**
 * A limiter: who is it (`identify`), what may they do (`limits`), what does it cost (`cost`), is there room (`store`), and
 * so what is sent. Adapters give it their framework's request and do what the outcome says.
 *
 * @example
 * const limiter = createLimiter({ identify: (customer: string) => customer, limits: [perSecond(10), perMinute(300)] })
 * const { refusal } = await limiter.take('acme')
 *
 * @throws RailError `RAIL_BAD_OPTION`, `RAIL_UNKNOWN_OPTION`, … for wrong options
 */
export function createLimiter<Request>(
  options: LimiterOptions<Request>,
  reader?: RequestReader<Request>,
): Limiter<Request> {
  const settings = settingsOf(options, reader)
  const { store, clock, skip, limits, onDecision } = settings
  const source = typeof limits === 'object' && 'limitsFor' in limits ? limits : undefined
  const reporter = createReporter(settings.onError)
  const watch = watchOf(store)
  const local = new LocalStore(settings.servers)
  const counts = createNotes<Count>(reader)

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
      with: (more) => limiterFor(routeOf(route, more, options)),
      of: (request) => (isObject(request) ? counts.get(request)?.outcome : undefined),
    }
  }

  function once(request: Request, route: RouteOptions<Request>): MaybePromise<Outcome> {
    const known = isObject(request) ? counts.get(request) : undefined
    if (known === undefined) return first(request, route)
    // One after the other, also where several ask at once: each has to know what those before it have taken.
    const next = (): MaybePromise<Outcome> => (known.answers(route) ? known.outcome : ask(request, route, known))
    known.pending = 'then' in known.pending ? known.pending.then(next, next) : next()
    return known.pending
  }

  function first(request: Request, route: RouteOptions<Request>): MaybePromise<Outcome> {
    const count = new Count()
    count.pending = ask(request, route, count)
    if (isObject(request)) counts.set(request, count)
    return count.pending
  }

  // From here on each step calls the next one itself where there is nothing to wait for: closures for what may have to wait
  // would be made for every request. Each looks for a promise itself, too: the engine learns at each place what comes there.

  function ask(request: Request, route: RouteOptions<Request>, count: Count): MaybePromise<Outcome> {
    if (skip === undefined) return charge({ request, route, count })
    return chain(skip(request), (skipped) => (skipped ? UNCOUNTED : charge({ request, route, count })))
  }

  function charge(asked: Asked<Request>): MaybePromise<Outcome> {
    const charges = chargesFor(asked.request, settings, asked.route, asked.count.charges)
    return 'then' in charges ? charges.then((found) => decide(asked, found)) : decide(asked, charges)
  }

  function decide(asked: Asked<Request>, charges: readonly Charge[]): MaybePromise<Outcome> {
    const { count } = asked
    const outcome = charges.length === 0 ? UNCOUNTED : take(asked, charges)
    return 'then' in outcome ? outcome.then((found) => count.keep(found)) : count.keep(outcome)
  }

  function take(asked: Asked<Request>, wanted: readonly Charge[]): MaybePromise<Outcome> {
    const now = readClock(clock)
    const charges = watch.hold(wanted, now, reporter.tellOnce)
    let decision: MaybePromise<Decision>
    try {
      decision = store.take(charges, now, asked.count.takenFrom(store))
    } catch (error) {
      return withoutStore(asked, charges, now, error)
    }
    if (!('then' in decision)) return answer(asked, charges, now, store, decision)
    return decision.then(
      (found) => answer(asked, charges, now, store, found),
      (error) => withoutStore(asked, charges, now, error),
    )
  }

  function answer(
    asked: Asked<Request>,
    charges: readonly Charge[],
    now: number,
    from: Store,
    decision: Decision,
  ): MaybePromise<Outcome> {
    const { request, route, count } = asked
    reporter.look(decision)
    watch.look(charges, decision, now, reporter.tellOnce)
    tellDecision(decision, request, count.counted.decision)
    const earlier = count.counted.headers
    count.took(decision.allowed ? charges : [], from, route)
    const sent = answerTo(decision, now, request, settings, reporter.tell)
    return 'then' in sent
      ? sent.then((found) => outcomeOf(count, decision, found, earlier))
      : outcomeOf(count, decision, sent, earlier)
  }

  function outcomeOf(count: Count, decision: Decision, answer: Answer, earlier: readonly Field[]): Outcome {
    return {
      decision,
      headers: inPlaceOf(answer.headers, earlier),
      refusal: answer.refusal,
      settle: (actualCost) => settle(count, actualCost),
    }
  }

  function withoutStore(
    asked: Asked<Request>,
    charges: readonly Charge[],
    now: number,
    error: unknown,
  ): MaybePromise<Outcome> {
    if (isRailError(error) && error.code !== 'RAIL_STORE_FAILED') throw error
    reporter.storeFailed('take', error, now)
    if (settings.onStoreFailure === 'local') {
      return answer(asked, charges, now, local, local.take(charges, now, asked.count.takenFrom(local)))
    }
    // It may have been taken all the same: to ask again for the same route could charge a request twice.
    asked.count.decided(asked.route)
    if (settings.onStoreFailure !== 'refuse' || settings.dryRun === true) return UNCOUNTED
    return chain(unavailableTo(asked.request, settings, reporter.tell), (sent) => ({ ...UNCOUNTED, ...sent }))
  }

  function tellDecision(decision: Decision, request: Request, earlier: Decision | undefined): void {
    if (source?.onDecision !== undefined) attempt(() => source.onDecision?.(decision, earlier), ignore, hookFailed)
    if (onDecision !== undefined) attempt(() => onDecision(decision, request, earlier), ignore, hookFailed)
  }

  function hookFailed(cause: unknown): void {
    reporter.tell(new RailError('RAIL_HOOK_FAILED', `onDecision failed; the decision stands. ${SEE_CAUSE}`, { cause }))
  }

  function settle(count: Count, actualCost: number): void {
    if (settings.dryRun === true) return
    let now = 0
    const read = (): number => {
      now = readClock(clock)
      return now
    }
    const failed = (error: unknown): void => {
      if (isRailError(error) && error.code !== 'RAIL_STORE_FAILED') reporter.tell(error)
      else reporter.storeFailed('settle', error, now)
    }
    attempt(() => count.settle(actualCost, read), ignore, failed)
  }

  return limiterFor({})
}

/** A request in hand. */
interface Asked<Request> {
  readonly request: Request
  readonly route: RouteOptions<Request>
  readonly count: Count
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function ignore(): void {}
