import { epochNow, readClock } from '../base/clock.js'
import { RailError, shown } from '../base/errors.js'
import type { LimitStatus } from '../bucket/decision.js'
import type { Limit } from '../limit/limit.js'
import type { Field, Standing } from './field.js'
import { MOST_SECONDS, toldWaitOf } from './seconds.js'

/**
 * How limits are told to clients. `'draft-11'`: `RateLimit` and `RateLimit-Policy` as in revisions 08 to 11 of
 * draft-ietf-httpapi-ratelimit-headers. `'draft-7'`: the same fields in the form of revision 07. `'draft-6'`:
 * `RateLimit-Limit`, `-Remaining` and `-Reset` of revisions 00 to 06. `'x-ratelimit'`: `X-RateLimit-Limit`, `-Remaining`,
 * `-Used` and `-Reset` as GitHub sends them. All but the first tell one limit, the tightest.
 */
export type HeaderStyle = 'draft-11' | OlderStyle

type OlderStyle = 'draft-7' | 'draft-6' | 'x-ratelimit'

/**
 * The fields of a style of one limit: those of the tightest, see {@link HeaderStyle}.
 *
 * @param epochMs The moment of the decision in milliseconds since 1970. `undefined`: now, read only where it is sent
 */
export function olderFields(style: OlderStyle, limits: readonly LimitStatus[], epochMs: number | undefined): Field[] {
  const tightest = tightestOf(limits)
  switch (style) {
    case 'draft-7':
      return draft7(limits, standingOf(tightest, 0, undefined))
    case 'draft-6':
      return draft6(standingOf(tightest, 0, DRAFT_6))
    case 'x-ratelimit':
      return xRateLimit(standingOf(tightest, readClock(epochMs === undefined ? epochNow : () => epochMs), X_RATELIMIT))
  }
}

/**
 * Checks the option `headers` and gives its styles. @throws RailError `RAIL_BAD_OPTION` for an unknown style, and for two
 * styles that write one field, each in its own way
 */
export function checkStyles(headers: unknown): readonly HeaderStyle[] {
  if (headers === false) return []
  const styles: readonly unknown[] = Array.isArray(headers) ? headers : [headers]
  const writers = new Map<string, HeaderStyle>()
  for (const style of styles) {
    if (!isStyle(style)) throw notAStyle(Array.isArray(headers) ? `an array with ${shown(style)}` : shown(headers))
    for (const field of FIELDS[style]) {
      const other = writers.get(field)
      if (other !== undefined) {
        throw new RailError(
          'RAIL_BAD_OPTION',
          other === style
            ? `The option headers names '${style}' twice. Name it once.`
            : `The option headers has '${other}' and '${style}', which both write ${field}, each in its own way. Choose one of them.`,
        )
      }
      writers.set(field, style)
    }
  }
  if (styles.length === 0) throw notAStyle('[]')
  return styles as readonly HeaderStyle[]
}

const FIELDS: Readonly<Record<HeaderStyle, readonly string[]>> = {
  'draft-11': ['RateLimit', 'RateLimit-Policy'],
  'draft-7': ['RateLimit', 'RateLimit-Policy'],
  'draft-6': ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
  'x-ratelimit': ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Used', 'X-RateLimit-Reset'],
}

function isStyle(style: unknown): style is HeaderStyle {
  return typeof style === 'string' && Object.hasOwn(FIELDS, style)
}

function notAStyle(got: string): RailError {
  return new RailError(
    'RAIL_BAD_OPTION',
    `The option headers is one of ${styleNames()}, several in an array, or false (no fields), got ${got}. Give one, or leave it out.`,
  )
}

function styleNames(): string {
  return Object.keys(FIELDS)
    .map((style) => `'${style}'`)
    .join(', ')
}

/** The limit that refused with the longest wait, else the one with the fewest tokens left; of equals the first. */
function tightestOf(limits: readonly LimitStatus[]): LimitStatus {
  let tightest = limits[0] as LimitStatus
  for (const status of limits) if (isTighter(status, tightest)) tightest = status
  return tightest
}

function isTighter(a: LimitStatus, b: LimitStatus): boolean {
  if (a.refused !== b.refused) return a.refused
  return a.refused ? a.retryAfterMs > b.retryAfterMs : a.remaining < b.remaining
}

/** `fromMs`: the moment that `reset` counts from; 0 for seconds from now. */
function standingOf(status: LimitStatus, fromMs: number, names: Standing['names']): Standing {
  const wait = toldWaitOf(status)
  // These styles cannot leave a reset out. Where no wait helps, the bucket still fills up by then.
  const told = Math.min(wait === Number.POSITIVE_INFINITY ? status.fullAfterMs : wait, MOST_SECONDS * 1000)
  return {
    limit: status.limit.burst,
    remaining: status.remaining,
    reset: Math.max(0, Math.ceil((fromMs + told) / 1000)),
    refused: status.refused,
    names,
  }
}

function draft7(limits: readonly LimitStatus[], standing: Standing): Field[] {
  const { limit, remaining, reset } = standing
  const value = `limit=${limit}, remaining=${remaining}, reset=${reset}`
  return [
    { name: 'RateLimit-Policy', value: quotasOf(limits), merge: 'list' },
    { name: 'RateLimit', value, merge: 'tightest', standing },
  ]
}

/** In this revision a policy has no name but its quota, so of two with the same only the slower is told. */
function quotasOf(limits: readonly LimitStatus[]): string {
  let text = ''
  for (const { limit } of limits) {
    const slowest = limits.reduce((one, { limit: other }) => (isSlower(other, one) ? other : one), limit)
    const quota = `${limit.burst};w=${windowSeconds(slowest)}`
    if (!`, ${text},`.includes(`, ${quota},`)) text += text === '' ? quota : `, ${quota}`
  }
  return text
}

function isSlower(a: Limit, b: Limit): boolean {
  return a.burst === b.burst && a.size / a.flow > b.size / b.flow
}

const DRAFT_6 = { limit: 'RateLimit-Limit', remaining: 'RateLimit-Remaining', reset: 'RateLimit-Reset' }
const X_RATELIMIT = { limit: 'X-RateLimit-Limit', remaining: 'X-RateLimit-Remaining', reset: 'X-RateLimit-Reset' }

function draft6(standing: Standing): Field[] {
  const { limit, remaining, reset } = standing
  return [
    { name: DRAFT_6.limit, value: String(limit), merge: 'tightest', standing },
    { name: DRAFT_6.remaining, value: String(remaining), merge: 'tightest', standing },
    { name: DRAFT_6.reset, value: String(reset), merge: 'tightest', standing },
  ]
}

function xRateLimit(standing: Standing): Field[] {
  const { limit, remaining, reset } = standing
  return [
    { name: X_RATELIMIT.limit, value: String(limit), merge: 'tightest', standing },
    { name: X_RATELIMIT.remaining, value: String(remaining), merge: 'tightest', standing },
    { name: 'X-RateLimit-Used', value: String(limit - remaining), merge: 'tightest', standing },
    { name: X_RATELIMIT.reset, value: String(reset), merge: 'tightest', standing },
  ]
}

/** Seconds in which an empty bucket fills, rounded up: never 0, which the draft forbids. */
export function windowSeconds(limit: Limit): number {
  return Math.ceil(Math.ceil(limit.size / limit.flow) / 1000)
}
