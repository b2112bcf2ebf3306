import type { Clock } from '../base/clock.js'
import type { MaybePromise } from '../base/maybe-promise.js'
import type { Decision } from '../bucket/decision.js'
import type { LimitSource } from '../bucket/limit-source.js'
import type { Store, SynchronousStore } from '../bucket/store.js'
import type { HeaderOption } from '../headers/header-style.js'
import type { RefusalOptions } from '../headers/refusal.js'
import type { OnReject } from '../headers/reject.js'
import type { Charge } from '../limit/charge.js'
import type { Limit } from '../limit/limit.js'

/** The options of every limiter and adapter, whatever the framework. */
export interface LimiterSettings<Request> extends RefusalOptions {
  /** Where buckets live. @default new MemoryStore() */
  readonly store?: Store | undefined
  /** Keeps this limiter's buckets apart from those of others in the same store. @default '' */
  readonly scope?: string | undefined
  /**
   * The headers that describe limits: a style, several, or `false` for none (refusals keep `Retry-After`). Two styles that
   * write one header are an error. @default draft11
   */
  readonly headers?: HeaderOption | undefined
  /**
   * Makes the body of a refusal: `problem()`, or a function that returns `{ json }` or `{ text, type? }`. Status and headers
   * stay. If it fails, the default body is sent. @default a small JSON object
   */
  readonly onReject?: OnReject<Request> | undefined
  /**
   * Requests that are not counted: those for which it returns `true`. Anything but `true` or `false` is an error.
   * `preflights` is one. @default none
   */
  readonly skip?: ((request: Request) => MaybePromise<boolean>) | undefined
  /**
   * Whether a request object that is taken again has the outcome that it has. `false`: each take counts, as for the messages
   * of one connection. @default true
   */
  readonly once?: boolean | undefined
  /** Counts requests and calls `onDecision`, but sends no headers and refuses nothing. @default false */
  readonly dryRun?: boolean | undefined
  /**
   * What happens while the store fails: `'allow'` lets requests go on without a limit, `'refuse'` answers 503, and a
   * synchronous store counts them instead: `localStore({ servers })`. @default 'allow'
   */
  readonly onStoreFailure?: 'allow' | 'refuse' | SynchronousStore | undefined
  /** Called with each decision. `earlier`: the decision that this one replaces, where a costlier route charged one request again. */
  readonly onDecision?: ((decision: Decision, request: Request, earlier: Decision | undefined) => void) | undefined
  /**
   * Called with errors that do not stop a request. It never changes an answer; errors that it throws are dropped. `() => {}`
   * silences them. @default one warning for each code and minute: process.emitWarning, or console.warn
   */
  readonly onError?: ((error: unknown) => void) | undefined
  /**
   * Returns milliseconds; for tests. `X-RateLimit-Reset` is counted from its reading, so where that is sent it should return
   * milliseconds since 1970. Limiters on one memory store need the same clock: two clocks that differ fill each other's
   * buckets. @default performance.now, and Date.now for that header
   */
  readonly clock?: Clock | undefined
}

/** Who is charged, by which limits, and how much. */
export interface PlainCharging<Request> {
  /** The key that a request is counted under: a non-empty string, or `null` for an anonymous request, which is not limited. */
  readonly identify: (request: Request) => MaybePromise<string | null>
  /** The limits of a key: an array, a source such as a plan book, or a function. `[]` means no limit. */
  readonly limits: readonly Limit[] | LimitSource | ((key: string, request: Request) => MaybePromise<readonly Limit[]>)
  /** The tokens that a request takes. @default 1 */
  readonly cost?: number | ((request: Request) => MaybePromise<number>) | undefined
  readonly charges?: undefined
}

/** Several charges for one request, in place of `identify`, `limits` and `cost`. */
export interface SeveralCharges<Request> {
  /** Made by {@link several}. */
  readonly charges: Charging<Request>
  readonly identify?: undefined
  readonly limits?: undefined
  readonly cost?: undefined
}

/** Finds the charges of a request. */
export interface Charging<Request> {
  /**
   * The charges of a request on a route; `[]`: not counted.
   *
   * @param before What was charged for the same request before, on the same limiter.
   * @param scope The limiter's scope.
   */
  chargesFor(
    request: Request,
    route: RouteOptions<Request>,
    before: readonly Charge[],
    scope: string,
  ): MaybePromise<readonly Charge[]>
}

/** The options of {@link createLimiter}. */
export type LimiterOptions<Request> = LimiterSettings<Request> & (PlainCharging<Request> | SeveralCharges<Request>)

/** What makes a route costlier or tighter than its limiter. */
export interface RouteOptions<Request> {
  /** The tokens that a request takes here. @default the limiter's cost */
  readonly cost?: number | ((request: Request) => MaybePromise<number>) | undefined
  /** Where the limits that apply here besides the plan's are counted. Without `limits`, a plan's limits of this scope apply. */
  readonly scope?: string | undefined
  /** Limits that apply here besides the plan's, counted in `scope`. */
  readonly limits?: readonly Limit[] | ((key: string, request: Request) => MaybePromise<readonly Limit[]>) | undefined
}
