import { advice } from '../base/advice.js'
import { checkArgument } from '../base/check.js'
import { epochNow } from '../base/clock.js'
import type { FieldReader } from '../headers/field.js'
import { parseHttpDate } from './http-date.js'
import { parseRateLimit } from './parse-rate-limit.js'
import { retryAfterOf } from './parse-retry-after.js'
import { parseVendor } from './parse-vendor.js'
import type { ParsedLimit } from './parsed-limit.js'

/** The limits of a client, and its wait, from the headers of a response. */
export interface ParsedHeaders {
  /** The limits in the response. `[]`: it contains none, which does not mean "no limit". */
  readonly limits: readonly ParsedLimit[]
  /**
   * Milliseconds to wait before the next request, from `Retry-After`; it takes precedence over the reset of any limit. May be
   * longer than `setTimeout` can wait, 2147483647.
   */
  readonly retryAfterMs?: number
  /** Whether the response came from a cache (`Age` above 0): its limits are old then. */
  readonly stale: boolean
}

/** Headers in any form: a `Headers` object, a plain object with names in any case, or a function. */
export type HeaderSource =
  | { get(name: string): string | null | undefined }
  | { readonly [name: string]: string | number | readonly string[] | undefined }
  | ((name: string) => string | null | undefined)

/**
 * Reads the limits in a response: every style that Rail sends, the earlier revisions of the draft, and the headers of GitHub,
 * GitLab, Discord, OpenAI, Anthropic, Shopify and others (docs/headers.md lists them). If `RateLimit` is there, it is read,
 * and the less precise headers are not.
 *
 * Never throws for a value that was sent, and returns only whole, safe and bounded numbers. A malformed header is ignored; in
 * a list, only the unusable member is. Times are compared with the `Date` of the response, so that the client's clock does
 * not matter.
 *
 * @param nowMs Milliseconds since 1970, for a response without a `Date`. @default Date.now()
 * @throws RailError `RAIL_BAD_OPTION` for anything without headers, such as `undefined`, and for a response in place of its headers
 */
export function parseHeaders(headers: HeaderSource, nowMs?: number): ParsedHeaders {
  const read = readerOf(headers)
  const moment = momentOf(read('date'), nowMs)
  const limits = parseRateLimit(read)
  const retryAfterMs = retryAfterOf(read, moment)
  return {
    limits: limits.length > 0 ? limits : parseVendor(read, moment),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    stale: Number(/^\d+$/.exec((read('age') ?? '').trim())?.[0]) > 0,
  }
}

/** The time of the response: its `Date`, else now. The clock is read only if a time is needed. */
function momentOf(date: string | undefined, nowMs: number | undefined): () => number {
  let moment: number | undefined
  return () => {
    if (moment !== undefined) return moment
    const now = nowMs !== undefined && Number.isFinite(nowMs) ? nowMs : epochNow()
    moment = (date === undefined ? undefined : parseHttpDate(date.trim(), now)) ?? now
    return moment
  }
}

function readerOf(headers: HeaderSource): FieldReader {
  const get = getterOf(headers)
  return (name) => {
    const value = get(name)
    if (value === undefined || value === null) return undefined
    return Array.isArray(value) ? value.join(', ') : String(value)
  }
}

/** The headers of some libraries contain numbers and arrays, against their types. */
function getterOf(headers: HeaderSource): (name: string) => unknown {
  if (typeof headers === 'function') return headers
  // A response itself has no headers by name, so it would look like one without limits.
  const isResponse = isObject((headers as { headers?: unknown } | undefined | null)?.headers)
  const hasHeaders = isObject(headers) && !Array.isArray(headers) && !isResponse
  checkArgument(hasHeaders, 'parseHeaders()', 'headers', headers, advice('Pass response.headers.'))
  if (typeof headers.get === 'function') return (name) => (headers as { get(name: string): unknown }).get(name)
  const fields = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return (name) => fields.get(name)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
