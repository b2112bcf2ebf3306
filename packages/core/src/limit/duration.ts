import { advice } from '../base/advice.js'
import { unexpected } from '../base/errors.js'

/** A length of time: a string like `'10s'`, `'1.5h'` or `'30 d'` (units `ms`, `s`, `m`, `h`, `d`), or whole milliseconds. */
export type Duration = `${number}${Unit}` | `${number} ${Unit}` | number

type Unit = 'ms' | 's' | 'm' | 'h' | 'd'

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const PATTERN = /^(\d{1,15}(?:\.\d{1,3})?) ?(ms|s|m|h|d)$/

/**
 * A duration in whole milliseconds, at least 1.
 *
 * @throws RailError `RAIL_BAD_DURATION` for anything else: another unit, zero, a negative, a part of a millisecond.
 */
export function durationMs(duration: Duration): number {
  const ms = typeof duration === 'string' ? parsed(duration) : duration
  if (typeof ms !== 'number' || !Number.isSafeInteger(ms) || ms < 1) {
    throw unexpected(
      'RAIL_BAD_DURATION',
      'duration',
      "a string like '10s' (units ms, s, m, h, d) or whole milliseconds from 1",
      duration,
      advice("Write '10s', '5m' or 60_000."),
    )
  }
  return ms
}

function parsed(text: string): number {
  const [, amount, unit] = PATTERN.exec(text) ?? []
  if (amount === undefined || unit === undefined) return Number.NaN
  // '1.1s' is 1100 ms, but 1.1 * 1000 is not quite: count in thousandths first, which are whole numbers.
  return (Math.round(Number(amount) * 1000) * (UNITS[unit] as number)) / 1000
}
