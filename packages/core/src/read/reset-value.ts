import { monthOf, parseHttpDate, utc } from './http-date.js'
import { boundedWait } from './retry-after.js'

/**
 * Milliseconds until a limit resets, from any form that APIs tell it in: seconds from now or since 1970 (or, by the size
 * of the number, milli-, micro- or nanoseconds since 1970), a duration like `6m0s` or `12ms`, or a date (RFC 3339, an
 * HTTP-date, or as JavaScript's `Date` prints itself). A moment that has passed is 0.
 *
 * @param moment When the response was made, in milliseconds since 1970.
 * @returns `undefined` for anything else, negative numbers too.
 */
export function parseReset(text: string, moment: () => number): number | undefined {
  const value = text.trim()
  if (value.length > LONGEST) return undefined
  const wait = /^\d+(\.\d+)?$/.test(value)
    ? ofNumber(Number(value), moment)
    : (ofDuration(value) ?? ofDate(value, moment))
  return wait === undefined ? undefined : boundedWait(wait)
}

/** `Tue Feb 16 2021 10:02:44 GMT+0000 (Coordinated Universal Time)`, and then some for longer names of zones. */
const LONGEST = 100

function ofNumber(number: number, moment: () => number): number {
  if (number < 1e9) return number * 1000
  const [, perMs] = EPOCHS.find(([least]) => number >= least) as (typeof EPOCHS)[number]
  return number / perMs - moment()
}

/** Numbers from `least` on are moments since 1970, so many to a millisecond: nanoseconds, micro-, milliseconds, seconds. */
const EPOCHS: readonly (readonly [least: number, perMs: number])[] = [
  [1e17, 1e6],
  [1e14, 1e3],
  [1e11, 1],
  [1e9, 1e-3],
]

function ofDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|us|µs|μs|ns|s|m|h))+$/.test(text)) return undefined
  let ms = 0
  for (const [, amount, unit] of text.matchAll(/([\d.]+)([a-zµμ]+)/g))
    ms += Number(amount) * (UNITS[unit as string] as number)
  return ms
}

/** As Go prints a time.Duration. The micro sign is in Unicode twice. */
const UNITS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ns: 1e-6,
}

function ofDate(text: string, moment: () => number): number | undefined {
  const told = rfc3339(text) ?? parseHttpDate(text, moment()) ?? printedDate(text)
  return told === undefined ? undefined : told - moment()
}

/** Without seconds too, as some send it; without a zone it is UTC, never the client's own. */
function rfc3339(text: string): number | undefined {
  const [, year, month, day, time = '', fraction = '', zone = ''] =
    /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d:\d\d(?::\d\d)?)(\.\d+)?([Zz]|[+-]\d\d:?\d\d)?$/.exec(text) ?? []
  const midnight = utc(Number(year), Number(month) - 1, Number(day), time)
  return midnight === undefined ? undefined : midnight + Number(`0${fraction}`) * 1000 - offsetMs(zone)
}

function printedDate(text: string): number | undefined {
  const [, month = '', day, year, time = '', zone = ''] =
    /^[a-z]{3} ([a-z]{3}) (\d\d) (\d{4}) (\d\d:\d\d:\d\d) GMT([+-]\d{4})(?: \(.*\))?$/i.exec(text) ?? []
  const local = utc(Number(year), monthOf(month), Number(day), time)
  return local === undefined ? undefined : local - offsetMs(zone)
}

function offsetMs(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? []
  if (sign === undefined) return 0
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}
