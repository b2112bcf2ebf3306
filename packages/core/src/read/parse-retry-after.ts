import type { FieldReader } from '../headers/field.js'
import { parseHttpDate } from './http-date.js'

/**
 * Milliseconds to wait, from the headers of a response: `Retry-After` (RFC 9110 section 10.2.3), which is a number of seconds
 * or an HTTP-date, and `retry-after-ms` and `x-ms-retry-after-ms`, which some APIs send. The longest of several values;
 * malformed ones are ignored. Fractions of seconds are accepted, because some APIs send them.
 *
 * @param moment The time of the response, in milliseconds since 1970. Called only for a date.
 * @returns `undefined` if no header has a wait.
 */
export function retryAfterOf(read: FieldReader, moment: () => number): number | undefined {
  const waits = [
    ...valuesOf(read('retry-after')).map((value) => (NUMBER.test(value) ? Number(value) * 1000 : until(value, moment))),
    ...['retry-after-ms', 'x-ms-retry-after-ms'].flatMap((name) =>
      valuesOf(read(name)).map((value) => (NUMBER.test(value) ? Number(value) : undefined)),
    ),
  ]
  return waits.reduce((longest, wait) => {
    if (wait === undefined) return longest
    const bounded = boundedWait(wait)
    return longest === undefined || bounded > longest ? bounded : longest
  }, undefined)
}

/**
 * A wait in whole milliseconds, rounded up, and a safe number however large the sent one was. It may be longer than a timer
 * can wait: with a shorter wait a client would come back too early.
 */
export function boundedWait(ms: number): number {
  return Math.min(Math.max(0, Math.ceil(ms)), Number.MAX_SAFE_INTEGER)
}

/** RFC 9110 allows whole numbers only, without a sign. */
const NUMBER = /^\d+(?:\.\d+)?$/

function until(date: string, moment: () => number): number | undefined {
  if (date.length > LONGEST_DATE) return undefined
  const time = parseHttpDate(date, moment())
  return time === undefined ? undefined : time - moment()
}

/** Enough for `Wednesday, 09-Nov-94 08:49:37 GMT`. */
const LONGEST_DATE = 40

/** The values of several header lines, which are joined by commas. A comma after the name of a day belongs to a date. */
function valuesOf(field: string | undefined): string[] {
  if (field === undefined) return []
  const values: string[] = []
  for (const part of field.split(',')) {
    const last = values.at(-1)
    if (last !== undefined && /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}$/i.test(last))
      values[values.length - 1] = `${last}, ${part.trim()}`
    else values.push(part.trim())
  }
  return values
}
