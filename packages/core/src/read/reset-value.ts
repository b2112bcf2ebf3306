import { monthOf, parseHttpDate, utc } from './http-date.js'
import { boundedWait } from './parse-retry-after.js'

/**
 * Milliseconds until a limit resets, from any form that APIs send. A number is seconds from now, or, by its size, seconds,
 * milli-, micro- or nanoseconds since 1970. Otherwise it is a duration such as `6m0s` or `12ms`, or a date: RFC 3339, an
 * HTTP-date, or the string of a JavaScript `Date`. 0 for a time in the past.
 *
 * @param moment The time of the response, in milliseconds since 1970.
 * @returns `undefined` for anything else, negative numbers too.
 */
export function parseReset(sent: string, moment: () => number): number | undefined {
  const value = sent.trim()
  if (value.length > LONGEST) return undefined
  const wait = /^\d+(\.\d+)?$/.test(value)
    ? ofNumber(Number(value), moment)
    : (ofDuration(value) ?? ofDate(value, moment))
  return wait === undefined ? undefined : boundedWait(wait)
}

/** Enough for `Tue Feb 16 2021 10:02:44 GMT+0000 (Coordinated Universal Time)`, also with a longer name of a zone. */
const LONGEST = 100

function ofNumber(number: number, moment: () => number): number {
  if (number < 1e9) return number * 1000
  const [, perMs] = EPOCHS.find(([least]) => number >= least) as (typeof EPOCHS)[number]
  return number / perMs - moment()
}

/** Numbers of `least` or more are times since 1970, in units of which `perMs` are a millisecond. */
const EPOCHS: readonly (readonly [least: number, perMs: number])[] = [
  [1e17, 1e6],
  [1e14, 1e3],
  [1e11, 1],
  [1e9, 1e-3],
]

function ofDuration(value: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|us|µs|μs|ns|s|m|h))+$/.test(value)) return undefined
  let ms = 0
  for (const [, amount, unit] of value.matchAll(/([\d.]+)([a-zµμ]+)/g))
    ms += Number(amount) * (UNITS[unit as string] as number)
  return ms
}

/** The units of Go's time.Duration. Unicode has two micro signs. */
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

function ofDate(value: string, moment: () => number): number | undefined {
  const date = rfc3339(value) ?? parseHttpDate(value, moment()) ?? printedDate(value)
  return date === undefined ? undefined : date - moment()
}

/** Seconds may be missing, as some APIs send it. Without a zone it is UTC, never the client's zone. */
function rfc3339(value: string): number | undefined {
  const [, year, month, day, time = '', fraction = '', zone = ''] =
    /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d:\d\d(?::\d\d)?)(\.\d+)?([Zz]|[+-]\d\d:?\d\d)?$/.exec(value) ?? []
  const midnight = utc(Number(year), Number(month) - 1, Number(day), time)
  return midnight === undefined ? undefined : midnight + Number(`0${fraction}`) * 1000 - offsetMs(zone)
}

function printedDate(value: string): number | undefined {
  const [, month = '', day, year, time = '', zone = ''] =
    /^[a-z]{3} ([a-z]{3}) (\d\d) (\d{4}) (\d\d:\d\d:\d\d) GMT([+-]\d{4})(?: \(.*\))?$/i.exec(value) ?? []
  const local = utc(Number(year), monthOf(month), Number(day), time)
  return local === undefined ? undefined : local - offsetMs(zone)
}

function offsetMs(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? []
  if (sign === undefined) return 0
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}
