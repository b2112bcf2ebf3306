import { checkArgument } from '../base/check.js'
import { epochNow } from '../base/clock.js'
import type { FieldReader } from '../headers/field.js'
import { parseHttpDate } from './http-date.js'
import { parseRateLimit } from './parse-rate-limit.js'
import { parseVendor } from './parse-vendor.js'
import type { ParsedLimit } from './parsed-limit.js'
import { retryAfterOf } from './retry-after.js'

/** Where a client stands, as a response's header fields tell. */
export interface ParsedHeaders {
  /** A limit for each that was told, as far as it is known. `[]`: the response tells of none, which is not "no limit". */
  readonly limits: readonly ParsedLimit[]
  /**
   * Milliseconds to wait before the next request, from `Retry-After`; it takes precedence over any limit's. May
   * be longer than `setTimeout` can wait, 2147483647.
   */
  readonly retryAfterMs?: number
  /** Whether the response came from a cache (`Age` above 0): then what it says of limits is old. */
  readonly stale: boolean
}

/** Header fields in any form: a `Headers` object, a plain object with names in any case, or a function. */
export type HeaderSource =
  | { get(name: string): string | null | undefined }
  | { readonly [name: string]: string | number | readonly string[] | undefined }
  | ((name: string) => string | null | undefined)

/**
 * Reads what a response tells of limits: every style of {@link headersFor}, the earlier revisions of the draft, and the
 * fields that GitHub, GitLab, Discord, OpenAI, Anthropic, Shopify and others send (docs/headers.md lists them). Where a
 * response tells one limit in several styles, it is read in the most exact: `RateLimit`, else the others.
 *
 * Never throws whatever was sent, and never gives a number that is not whole, safe and bounded: a malformed field is
 * ignored whole, a member that says nothing usable alone. Moments are compared with the response's own `Date`, so that
 * the client's clock does not matter.
 *
 * @param nowMs Milliseconds since 1970, for a response without a `Date`. @default Date.now()
 * @throws RailError `RAIL_BAD_OPTION` for what cannot have fields, such as `undefined`, and for a response in place of its headers
 */
export function parseHeaders(headers: HeaderSource, nowMs?: number): ParsedHeaders {
  const read = readerOf(headers)
  const moment = momentOf(read('date'), nowMs)
  const told = parseRateLimit(read)
  const retryAfterMs = retryAfterOf(read, moment)
  return {
    limits: told.length > 0 ? told : parseVendor(read, moment),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    stale: Number(/^\d+$/.exec((read('age') ?? '').trim())?.[0]) > 0,
  }
}

/** When the response was made, or else came. A clock is read only where a moment is needed. */
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

/** Some libraries have numbers and arrays in what they call their headers, whatever the types say. */
function getterOf(headers: HeaderSource): (name: string) => unknown {
  if (typeof headers === 'function') return headers
  // A response has no fields of its own, and would seem to tell no limit.
  const isResponse = isObject((headers as { headers?: unknown } | undefined | null)?.headers)
  const canHaveFields = isObject(headers) && !Array.isArray(headers) && !isResponse
  checkArgument(canHaveFields, 'parseHeaders()', 'headers', headers, 'Pass response.headers.')
  if (typeof headers.get === 'function') return (name) => (headers as { get(name: string): unknown }).get(name)
  const fields = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return (name) => fields.get(name)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
