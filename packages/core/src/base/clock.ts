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
  const reading: unknown = clock()
  const now = typeof reading === 'number' ? Math.floor(reading) : Number.NaN
  if (!Number.isSafeInteger(now)) {
    const message = `A clock returns milliseconds, a finite number; it returned ${shown(reading)}. Return them as Date.now does.`
    throw new RailError('RAIL_BAD_CLOCK', message)
  }
  return now
}
