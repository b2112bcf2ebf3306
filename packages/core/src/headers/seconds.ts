import type { LimitStatus } from '../bucket/decision.js'

/** The largest number of seconds sent: the longest wait of a 32-bit timer in milliseconds. */
export const MOST_SECONDS = 2_147_483

/** Seconds as they are sent: whole, rounded up, at most {@link MOST_SECONDS}, above which clients' timers overflow. */
export function wholeSeconds(ms: number): number {
  const seconds = Math.ceil(ms / 1000)
  return seconds < MOST_SECONDS ? seconds : MOST_SECONDS
}

/**
 * The wait that is sent for a limit, in milliseconds. Where it refused: until a request of this cost fits, Infinity if it
 * never will. Where nothing is left: until one token is. Else: until the bucket is full.
 */
export function sentWaitOf(status: LimitStatus): number {
  return status.refused || status.remaining === 0 ? status.retryAfterMs : status.fullAfterMs
}
