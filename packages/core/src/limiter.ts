import { type Answer, answerTo, NOTHING, unavailableTo } from './answer.js'
import { type Charge, checkCost } from './charge.js'
import { chargesFor } from './charging.js'
import { readClock } from './clock.js'
import type { Decision } from './decision.js'
import { RailError, shown } from './errors.js'
import { type Field, inPlaceOf } from './field.js'
import { type LimiterOptions, type RequestReader, type RouteOptions, routeOf, settingsOf } from './limiter-options.js'
import { LocalStore } from './local-store.js'
import { attempt, chain, isPromise } from './maybe-promise.js'
import { createNotes } from './notes.js'
import type { Refusal } from './refusal.js'
import { createReporter } from './reporter.js'
import type { MaybePromise, Store } from './store.js'

/** What a limiter answers about one request: data, so that adapters cannot disagree. */
export interface Outcome {
  /** `undefined` when the request was not counted: skipped, anonymous, without limits, or the store failed. */
  readonly decision: Decision | undefined
  /** All fields to send, whatever becomes of the request: `Retry-After` and `Cache-Control` of a refusal too. */
  readonly headers: readonly Field[]
  /** What to answer instead of going on; `undefined`: go on. */
  readonly refusal: Refusal | undefined
  /**
   * Corrects the cost once the true one is known: a whole number of tokens. The first call counts; nothing happens after a
   * refusal, a dry run or a failure of the store. Never throws: what goes wrong is told to `onError`.
   */
  readonly settle: (actualCost: number) => void
}

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
  const { store, clock, skip } = settings
  const reporter = createReporter(settings.onError)
  const local = new LocalStore(settings.servers)
  const counts = createNotes<Count>(reader)

  function limiterFor(route: RouteOptions<Request>): Limiter<Request> {
    return {
      take: (request) => {
        try {
          const outcome = once(request, route)
          return isPromise(outcome) ? outcome.then(undefined, throwError) : outcome
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
    if (known === undefined) return ask(request, route, new Count())
    return chain(known.pending, (outcome) => (known.answers(route) ? outcome : ask(request, route, known)))
  }

  function ask(request: Request, route: RouteOptions<Request>, count: Count): MaybePromise<Outcome> {
    count.pending = chain(skip === undefined ? false : skip(request), (skipped) =>
      skipped
        ? UNCOUNTED
        : chain(chargesFor(request, settings, route, count.charges), (charges) =>
            chain(charges.length === 0 ? UNCOUNTED : decide(request, route, count, charges), (outcome) => {
              count.outcome = outcome
              return outcome
            }),
          ),
    )
    if (isObject(request)) counts.set(request, count)
    return count.pending
  }

  function decide(
    request: Request,
    route: RouteOptions<Request>,
    count: Count,
    charges: readonly Charge[],
  ): MaybePromise<Outcome> {
    const now = readClock(clock)
    const answer =
      (from: Store) =>
      (decision: Decision): MaybePromise<Outcome> => {
        reporter.look(decision, now)
        tellDecision(decision, request, count.outcome.decision)
        const earlier = count.outcome.headers
        count.took(decision.allowed ? charges : [], from, route)
        const outcomeOf = ({ headers, refusal }: Answer): Outcome => ({
          decision,
          headers: inPlaceOf(headers, earlier),
          refusal,
          settle: (actualCost) => settle(count, actualCost),
        })
        return chain(answerTo(decision, now, request, settings, reporter.tell), outcomeOf)
      }
    const withoutStore = (error: unknown): MaybePromise<Outcome> => {
      if (error instanceof RailError && error.code !== 'RAIL_STORE_FAILED') throw error
      reporter.storeFailed('take', error, now)
      if (settings.onStoreFailure === 'local') return answer(local)(local.take(count.asked(charges, local), now))
      if (settings.onStoreFailure !== 'refuse' || settings.dryRun === true) return UNCOUNTED
      return chain(unavailableTo(request, settings, reporter.tell), (sent) => ({ ...UNCOUNTED, ...sent }))
    }
    return attempt(() => store.take(count.asked(charges, store), now), answer(store), withoutStore)
  }

  function tellDecision(decision: Decision, request: Request, earlier: Decision | undefined): void {
    const { limits, onDecision } = settings
    if (typeof limits === 'object' && 'limitsFor' in limits && limits.onDecision !== undefined) {
      attempt(() => limits.onDecision?.(decision, earlier), ignore, hookFailed)
    }
    if (onDecision !== undefined) attempt(() => onDecision(decision, request, earlier), ignore, hookFailed)
  }

  function hookFailed(cause: unknown): void {
    reporter.tell(new RailError('RAIL_HOOK_FAILED', 'onDecision failed; the decision stands.', { cause }))
  }

  function settle(count: Count, actualCost: number): void {
    if (settings.dryRun === true) return
    let now = 0
    const read = (): number => {
      now = readClock(clock)
      return now
    }
    const failed = (error: unknown): void => {
      if (error instanceof RailError && error.code !== 'RAIL_STORE_FAILED') reporter.tell(error)
      else reporter.storeFailed('settle', error, now)
    }
    attempt(() => count.settle(actualCost, read), ignore, failed)
  }

  return limiterFor({})
}

/** The outcome of a request that was not counted. */
const UNCOUNTED: Outcome = Object.freeze({ decision: undefined, ...NOTHING, settle: ignore })

const NOWHERE: readonly unknown[] = Object.freeze([])

/** What one limiter knows of one request. */
class Count {
  pending: MaybePromise<Outcome> = UNCOUNTED
  outcome: Outcome = UNCOUNTED
  /** What has been taken for the request, and from which store. */
  charges: readonly Charge[] = []
  #store: Store | undefined
  #routes: readonly unknown[] = NOWHERE
  #settled = false

  /** Whether the latest outcome answers a further ask on this route: it was decided there, or refused anywhere. */
  answers(route: unknown): boolean {
    return this.outcome.refusal !== undefined || this.#routes.includes(route)
  }

  took(charges: readonly Charge[], store: Store, route: unknown): void {
    this.charges = charges
    this.#store = store
    // A request is seldom asked about twice, and an array of one is cheaper than one that grows.
    this.#routes = this.#routes === NOWHERE ? [route] : [...this.#routes, route]
  }

  /** The charges as a store is to be asked them: another store has taken nothing yet. */
  asked(charges: readonly Charge[], store: Store): readonly Charge[] {
    return this.#store === undefined || this.#store === store ? charges : charges.map(({ taken, ...charge }) => charge)
  }

  settle(actualCost: number, clock: () => number): MaybePromise<void> {
    if (this.#settled || this.charges.length === 0) return
    checkCost(actualCost, 'What settle() is given')
    this.#settled = true
    return this.#store?.settle(this.charges, actualCost, readClock(clock))
  }
}

/**
 * What frameworks take for an error: Express goes on as if nothing had happened when given nothing or `'route'`, Koa never
 * answers when given nothing, Hono fails on what is not an Error. None of that may come of a function of the user's.
 */
function throwError(thrown: unknown): never {
  if (isObject(thrown)) throw thrown
  throw new RailError(
    'RAIL_NOT_AN_ERROR',
    `A function given to the limiter threw ${shown(thrown)}, which is not an error. Throw new Error(…) instead.`,
    { cause: thrown },
  )
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function ignore(): void {}
