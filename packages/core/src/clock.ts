import { RailError, shown } from './errors.js'

/** Milliseconds from any fixed moment on. May be fractional; Rail rounds down to whole milliseconds. */
export type Clock = () => number

// Core is compiled without DOM or Node types; every runtime that Rail runs on has this.
declare const performance: { now(): number }

/**
 * The default clock: milliseconds that no change of the system's time moves. It is read when a request comes, never at
 * import: on edge runtimes it stands at 0 until then.
 */
export const monotonicClock: Clock = () => performance.now()

/** Milliseconds since 1970, where a moment is sent or read rather than a wait; moved when the system's time is set. */
export const epochNow: Clock = () => Date.now()

/** A clock's reading in whole milliseconds. @throws RailError `RAIL_BAD_CLOCK` when it is no finite number */
export function readClock(clock: Clock): number {
  const now = Math.floor(clock())
  if (!Number.isSafeInteger(now)) {
    throw new RailError('RAIL_BAD_CLOCK', `A clock returns milliseconds, a finite number; it returned ${shown(now)}.`)
  }
  return now
}
