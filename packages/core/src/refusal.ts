import type { Decision } from './decision.js'
import { wholeSeconds } from './headers.js'

/** What a refused request is answered with. */
export interface Refusal {
  /** 429: over a limit. 503: the store failed and the limiter is told to refuse then. */
  readonly status: 429 | 503
  /** Seconds, as sent in `Retry-After`: a whole number from 1. `undefined`: never, no wait would help. */
  readonly retryAfter: number | undefined
  /** The exact `Content-Type`. */
  readonly type: string
  readonly body: string
  /** The decision behind it; none when the store failed. */
  readonly decision?: Decision | undefined
}

/** How a refusal is made. */
export interface RefusalOptions {
  /** The longest `Retry-After` in seconds. A client told to come back sooner than it may is refused again. @default 2_147_483 */
  readonly maxRetryAfter?: number | undefined
  /** Up to so many seconds are added to `Retry-After` at random, so that clients do not all return at once. @default 0 */
  readonly jitter?: number | undefined
}

/**
 * The refusal of a decision that is not allowed: status 429 (RFC 6585 section 4) and a JSON body. `retryAfter` is the
 * longest wait among the limits that refused, rounded up to whole seconds, at least 1.
 */
export function refusalFor(decision: Decision, options: RefusalOptions = {}): Refusal {
  const retryAfter = retryAfterOf(decision, options)
  return { status: 429, retryAfter, type: 'application/json', body: jsonBody('rate_limited', retryAfter), decision }
}

/** The refusal when the store has failed and the limiter is told to refuse then: 503, never 429. */
export function unavailable(): Refusal {
  return { status: 503, retryAfter: 1, type: 'application/json', body: jsonBody('unavailable', 1) }
}

function retryAfterOf(
  decision: Decision,
  { maxRetryAfter = Infinity, jitter = 0 }: RefusalOptions,
): number | undefined {
  if (decision.retryAfterMs === Infinity) return undefined
  const spread = jitter === 0 ? 0 : Math.floor(Math.random() * (jitter + 1))
  return Math.min(Math.max(1, wholeSeconds(decision.retryAfterMs + spread * 1000)), maxRetryAfter)
}

function jsonBody(error: string, retryAfter: number | undefined): string {
  return JSON.stringify({ error, retry_after: retryAfter })
}
