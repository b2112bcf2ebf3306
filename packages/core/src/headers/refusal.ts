import { type Check, checkOption, checkOptionNames, isWholeFrom } from '../base/check.js'
import { checkDecision, type Decision } from '../bucket/decision.js'
import { MOST_SECONDS, wholeSeconds } from './seconds.js'

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

/** A refusal that has no body yet. */
export type BareRefusal = Omit<Refusal, 'type' | 'body'>

/** Makes the body of a refusal, and names its media type. */
export type BodyMaker = (refusal: BareRefusal) => Pick<Refusal, 'type' | 'body'>

/**
 * The refusal of a decision that is not allowed: status 429 (RFC 6585 section 4). `retryAfter` is the longest wait among
 * the limits that refused, rounded up to whole seconds, at least 1.
 *
 * @param body @default {@link jsonBody}; {@link problemBody} makes others
 * @throws RailError `RAIL_BAD_OPTION`, `RAIL_UNKNOWN_OPTION` for wrong options, and for what is no decision
 */
export function refusalFor(decision: Decision, options: RefusalOptions = {}, body: BodyMaker = jsonBody): Refusal {
  checkDecision(decision, 'refusalFor()')
  const names = REFUSAL_CHECKS.map(([name]) => name)
  checkOptionNames(options, names, 'refusalFor()')
  for (const [name, expected, passes] of REFUSAL_CHECKS) checkOption(name, options[name], expected, passes)
  checkOption('body', body, 'a function that makes a body', (value) => typeof value === 'function')
  return overLimit(decision, options, body)
}

const isSeconds =
  (least: number) =>
  (value: unknown): boolean =>
    isWholeFrom(least)(value) && (value as number) <= MOST_SECONDS

/** What {@link RefusalOptions} take. */
export const REFUSAL_CHECKS: readonly Check<keyof RefusalOptions>[] = [
  ['maxRetryAfter', `a whole number of seconds from 1 to ${MOST_SECONDS}`, isSeconds(1)],
  ['jitter', `a whole number of seconds from 0 to ${MOST_SECONDS}`, isSeconds(0)],
]

/** As {@link refusalFor}, of options that have been checked. */
export function overLimit(decision: Decision, options: RefusalOptions, body: BodyMaker): Refusal {
  return withBody({ status: 429, retryAfter: retryAfterOf(decision.retryAfterMs, options), decision }, body)
}

/** The refusal when the store has failed and the limiter is told to refuse then: 503, never 429. */
export function unavailable(options: RefusalOptions = {}, body: BodyMaker = jsonBody): Refusal {
  return withBody({ status: 503, retryAfter: retryAfterOf(1_000, options) }, body)
}

/** The default body: `{"error":"rate_limited","retry_after":1}`, without `retry_after` where no wait helps. */
export const jsonBody: BodyMaker = ({ status, retryAfter }) => {
  const error = status === 429 ? 'rate_limited' : 'unavailable'
  // Written out, since it is what an attack is answered with: nothing in it needs to be escaped.
  const wait = retryAfter === undefined ? '' : `,"retry_after":${retryAfter}`
  return { type: 'application/json', body: `{"error":"${error}"${wait}}` }
}

function withBody(refusal: BareRefusal, makeBody: BodyMaker): Refusal {
  const { type, body } = makeBody(refusal)
  const { status, retryAfter, decision } = refusal
  return { status, retryAfter, type, body, decision }
}

function retryAfterOf(waitMs: number, { maxRetryAfter, jitter = 0 }: RefusalOptions): number | undefined {
  if (waitMs === Number.POSITIVE_INFINITY) return undefined
  const cap = Math.min(maxRetryAfter ?? MOST_SECONDS, MOST_SECONDS)
  const least = Math.min(Math.max(1, wholeSeconds(waitMs)), cap)
  if (jitter === 0) return least
  // Spread below the cap, not cut off at it: else the clients near the cap would all return at once again.
  const most = Math.min(least + jitter, cap)
  return least + Math.floor(Math.random() * (most - least + 1))
}
