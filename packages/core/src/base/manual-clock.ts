import { checkArgument } from './check.js'
import type { Clock } from './clock.js'

/** A clock for tests: it stands still until a test moves it. */
export interface ManualClock extends Clock {
  /** Moves forward by so many milliseconds; a negative number steps back. */
  advance(ms: number): void
  /** Sets the reading, in milliseconds. */
  set(ms: number): void
}

/**
 * A clock that a test moves by hand, for the option `clock`.
 *
 * @param start The first reading, in milliseconds. @default 0
 * @throws RailError `RAIL_BAD_OPTION` for anything but a finite number; so do `advance` and `set`
 * @example
 * const clock = manualClock()
 * const limiter = createLimiter({ identify: () => 'acme', limits: [perSecond(1)], clock })
 * clock.advance(1_000)
 */
export function manualClock(start = 0): ManualClock {
  checkReading(start)
  let now = start
  const clock = (): number => now
  return Object.assign(clock, {
    advance: (ms: number): void => {
      checkReading(ms)
      now += ms
    },
    set: (ms: number): void => {
      checkReading(ms)
      now = ms
    },
  })
}

function checkReading(ms: unknown): void {
  checkArgument(Number.isFinite(ms), 'manualClock', 'milliseconds, a finite number', ms)
}
