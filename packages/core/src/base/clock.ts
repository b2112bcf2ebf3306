import { advice } from './advice.js'
import { unexpected } from './errors.js'

/** Returns milliseconds since any fixed moment. Fractions are rounded down to whole milliseconds. */
export type Clock = () => number

// Core is compiled without DOM or Node types; every runtime that Rail runs on has this.
declare const performance: { now(): number }

/**
 * The default clock: milliseconds, independent of changes to the system's time. It is read once for each request, never
 * at import, where edge runtimes return 0.
 */
export const monotonicClock: Clock = () => performance.now()

/** Milliseconds since 1970, for moments that are sent or read. It jumps when the system's time is set. */
export const epochNow: Clock = () => Date.now()

/** Reads a clock, in whole milliseconds. @throws RailError `RAIL_BAD_CLOCK` when it returns anything but a finite number */
export function readClock(clock: Clock): number {
  const reading: unknown = clock()
  const now = typeof reading === 'number' ? Math.floor(reading) : Number.NaN
  if (!Number.isSafeInteger(now)) {
    throw unexpected(
      'RAIL_BAD_CLOCK',
      'clock()',
      'milliseconds, a finite number',
      reading,
      advice('Return Date.now().'),
    )
  }
  return now
}
