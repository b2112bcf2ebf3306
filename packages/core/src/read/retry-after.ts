import type { FieldReader } from '../headers/field.js'
import { parseHttpDate } from './http-date.js'

/**
 * Milliseconds to wait, as a response tells them: by `Retry-After` (RFC 9110 section 10.2.3), a number of seconds or an
 * HTTP-date, or by `retry-after-ms` or `x-ms-retry-after-ms`, which some APIs send. Where there are several values, the
 * longest; malformed ones are ignored. Fractions of seconds, which some APIs send, are taken too.
 *
 * @param moment When the response was made, in milliseconds since 1970. Asked only where a date is told.
 * @returns `undefined` where nothing tells a wait.
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
    const told = boundedWait(wait)
    return longest === undefined || told > longest ? told : longest
  }, undefined)
}

/**
 * A wait in whole milliseconds, rounded up, safe however large what was sent. It is not cut to what a timer can wait: a
 * client that came back then would be early.
 */
export function boundedWait(ms: number): number {
  return Math.min(Math.max(0, Math.ceil(ms)), Number.MAX_SAFE_INTEGER)
}

/** RFC 9110 allows whole numbers only, without a sign. */
const NUMBER = /^\d+(?:\.\d+)?$/

function until(date: string, moment: () => number): number | undefined {
  if (date.length > LONGEST_DATE) return undefined
  const told = parseHttpDate(date, moment())
  return told === undefined ? undefined : told - moment()
}

/** `Wednesday, 09-Nov-94 08:49:37 GMT` and a little air. */
const LONGEST_DATE = 40

/** The values of several lines, which a comma joins; but one after the name of a day belongs to a date. */
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
