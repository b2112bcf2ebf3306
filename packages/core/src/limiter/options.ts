import type { Clock } from '../base/clock.js'
import type { MaybePromise } from '../base/maybe-promise.js'
import type { Shape } from '../base/notes.js'
import type { Decision } from '../bucket/decision.js'
import type { LimitSource } from '../bucket/limit-source.js'
import type { Store } from '../bucket/store.js'
import type { HeaderStyle } from '../headers/older-styles.js'
import type { RefusalBody } from '../headers/problem.js'
import type { Refusal, RefusalOptions } from '../headers/refusal.js'
import type { Charge } from '../limit/charge.js'
import type { Limit } from '../limit/limit.js'

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
