import type { LimitStatus } from '../bucket/decision.js'

/** The largest number of seconds sent: the longest that a 32-bit timer of milliseconds can wait. */
export const MOST_SECONDS = 2_147_483

/** Seconds as sent: whole, rounded up, at most {@link MOST_SECONDS}, beyond which clients' timers overflow. */
export function wholeSeconds(ms: number): number {
  const seconds = Math.ceil(ms / 1000)
  return seconds < MOST_SECONDS ? seconds : MOST_SECONDS
}

/**
 * The wait that is told of a limit, in milliseconds: where it refused, until a request of this cost fits (Infinity if
 * none ever will); where nothing is left, until one token is; else until the bucket is full.
 */
export function toldWaitOf(status: LimitStatus): number {
  return status.refused || status.remaining === 0 ? status.retryAfterMs : status.fullAfterMs
}
