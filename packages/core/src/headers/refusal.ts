import { checkOption, checkOptionNames, isWholeFrom } from '../base/check.js'
import { checkDecision, type Decision } from '../bucket/decision.js'
import { retryAfterOf } from './retry-after.js'
import { MOST_SECONDS } from './seconds.js'

/** The answer to a refused request. */
export interface Refusal {
  /**
   * 429: over a limit, and a wait helps. 422: the cost is above a limit's burst, and no wait helps. 503: the store failed, and
   * the limiter refuses requests then.
   */
  readonly status: 422 | 429 | 503
  /** Seconds, as sent in `Retry-After`: a whole number from 1. `undefined`: no wait helps. */
  readonly retryAfter: number | undefined
  /** With 422: the largest cost that the limits can ever allow, in tokens. */
  readonly most?: number | undefined
  /** The `Content-Type`, without anything added. */
  readonly type: string
  readonly body: string
  /** The decision behind it; `undefined` when the store failed. */
  readonly decision?: Decision | undefined
}

/** The options of {@link refusalFor}. */
export interface RefusalOptions {
  /** Adds up to so many seconds to `Retry-After` at random, so that clients do not all return at once. @default 0 */
  readonly jitter?: number | undefined
}

/**
 * The refusal of a decision that is not allowed: status 429 (RFC 6585 section 4), with a small JSON body. `retryAfter` is the
 * longest wait of the limits that refused, rounded up to whole seconds, at least 1. Where the cost never fits, the status is
 * 422 (RFC 9110 section 15.5.21): most HTTP clients repeat a 429 without `Retry-After` at once.
 *
 * @throws RailError `RAIL_BAD_OPTION`, `RAIL_UNKNOWN_OPTION` for wrong options, and for anything but a decision
 */
export function refusalFor(decision: Decision, options: RefusalOptions = {}): Refusal {
  checkDecision(decision, 'refusalFor()')
  checkOptionNames(options, ['jitter'], 'refusalFor()')
  checkJitter(options.jitter)
  return overLimit(decision, options.jitter)
}

/** Checks the option `jitter`. @throws RailError `RAIL_BAD_OPTION` */
export function checkJitter(jitter: unknown): void {
  checkOption('jitter', jitter, `a whole number of seconds from 0 to ${MOST_SECONDS}`, isJitter)
}

const isJitter = (value: number): boolean => isWholeFrom(0)(value) && value <= MOST_SECONDS

/** Like {@link refusalFor}, for options that were checked. */
export function overLimit(decision: Decision, jitter = 0): Refusal {
  if (decision.retryAfterMs === Number.POSITIVE_INFINITY) return tooLarge(decision)
  return refusal(429, 'rate_limited', decision.retryAfterMs, jitter, decision)
}

function tooLarge(decision: Decision): Refusal {
  let most = Number.MAX_SAFE_INTEGER
  for (const { limit, refused, retryAfterMs } of decision.limits) {
    if (refused && retryAfterMs === Number.POSITIVE_INFINITY) most = Math.min(most, limit.wholeBurst)
  }
  const body = `{"error":"cost_too_large","most":${most}}`
  return { status: 422, retryAfter: undefined, most, type: JSON_TYPE, body, decision }
}

/** The refusal when the store has failed: 503, never 429. */
export function unavailable(jitter = 0): Refusal {
  return refusal(503, 'unavailable', 1_000, jitter, undefined)
}

function refusal(
  status: 429 | 503,
  error: string,
  waitMs: number,
  jitter: number,
  decision: Decision | undefined,
): Refusal {
  const retryAfter = retryAfterOf(waitMs, jitter)
  // Written by hand, because an attack gets it as an answer: nothing in it needs to be escaped.
  return { status, retryAfter, type: JSON_TYPE, body: `{"error":"${error}","retry_after":${retryAfter}}`, decision }
}

const JSON_TYPE = 'application/json'
