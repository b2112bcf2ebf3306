import { epochNow, readClock } from '../base/clock.js'
import type { LimitStatus } from '../bucket/decision.js'
import type { Limit } from '../limit/limit.js'
import { windowSeconds } from '../limit/window-seconds.js'
import { type Field, type FieldReader, type Standing, wholeNumber } from './field.js'
import type { HeaderStyle } from './header-style.js'
import { MOST_SECONDS, sentWaitOf } from './seconds.js'
import { parseDictionary } from './structured-field.js'

/*
 * The styles that describe one limit, the tightest: the one that refused with the longest wait, else the one with the
 * fewest tokens left, of equals the first. Where the cost never fits there is no reset: a client would come back for nothing.
 */

/**
 * `RateLimit-Policy` and `RateLimit` as revision 07 of draft-ietf-httpapi-ratelimit-headers has them: all policies, and the
 * tightest limit as `limit=10, remaining=3, reset=1`.
 */
export const draft7: HeaderStyle = {
  name: 'draft7',
  writes: ['RateLimit-Policy', 'RateLimit'],
  fieldsFor(decision) {
    if (decision === undefined) return []
    const standing = standingOf(decision.limits, 0, inDictionary)
    const { limit, remaining, reset } = standing
    const value = `limit=${limit}, remaining=${remaining}${reset === undefined ? '' : `, reset=${reset}`}`
    return [
      { name: 'RateLimit-Policy', value: quotasOf(decision.limits), merge: 'list' },
      { name: 'RateLimit', value, merge: 'tightest', standing },
    ]
  },
}

/**
 * `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` as revisions 00 to 06 of
 * draft-ietf-httpapi-ratelimit-headers have them. The reset is in seconds from now.
 */
export const draft6: HeaderStyle = {
  name: 'draft6',
  writes: ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
  fieldsFor(decision) {
    return decision === undefined ? [] : fieldsIn(RATE_LIMIT, standingOf(decision.limits, 0, RATE_LIMIT.numbersIn))
  },
}

/**
 * `X-RateLimit-Limit`, `X-RateLimit-Remaining`, `X-RateLimit-Used` and `X-RateLimit-Reset` as GitHub sends them. The reset
 * is in seconds since 1970.
 */
export const xRateLimit: HeaderStyle = {
  name: 'xRateLimit',
  writes: ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Used', 'X-RateLimit-Reset'],
  fieldsFor(decision, epochMs) {
    if (decision === undefined) return []
    const now = readClock(epochMs === undefined ? epochNow : () => epochMs)
    const standing = standingOf(decision.limits, now, X_RATE_LIMIT.numbersIn)
    const [limit, remaining, ...reset] = fieldsIn(X_RATE_LIMIT, standing) as [Field, Field, ...Field[]]
    const value = String(standing.limit - standing.remaining)
    return [limit, remaining, { name: 'X-RateLimit-Used', value, merge: 'tightest', standing }, ...reset]
  },
}

/** The headers of a group, such as `RateLimit-Limit`, `-Remaining` and, where a wait helps, `-Reset`. */
function fieldsIn(group: Group, standing: SentStanding): readonly Field[] {
  const { limit, remaining, reset } = standing
  const fields = [fieldOf(group.limit, limit, standing), fieldOf(group.remaining, remaining, standing)]
  if (reset !== undefined) fields.push(fieldOf(group.reset, reset, standing))
  return fields
}

function fieldOf(name: string, value: number, standing: SentStanding): Field {
  return { name, value: String(value), merge: 'tightest', standing }
}

/** The names of the headers of a group. They are made once, because Node checks each name of each response. */
interface Group extends Readonly<Record<keyof SentNumbers, string>> {
  readonly numbersIn: NumbersIn
}

function groupOf(prefix: string): Group {
  const names = { limit: `${prefix}-Limit`, remaining: `${prefix}-Remaining`, reset: `${prefix}-Reset` }
  return { ...names, numbersIn: (_existing, read) => numbers((key) => wholeNumber(read?.(names[key]) ?? '')) }
}

/** The numbers of one limit, as they are sent. */
interface SentNumbers {
  readonly limit: number
  readonly remaining: number
  /** Seconds; `undefined` where no wait helps. */
  readonly reset: number | undefined
}

/** Reads the numbers of the headers that are there already; `undefined` where they are not complete. */
type NumbersIn = (existing: string | undefined, read: FieldReader | undefined) => SentNumbers | undefined

/** The tightest limit as headers describe it. */
class SentStanding implements Standing, SentNumbers {
  readonly limit: number
  readonly remaining: number
  readonly reset: number | undefined
  readonly #refused: boolean
  readonly #numbersIn: NumbersIn
  #instead: SentStanding | undefined

  constructor(
    { limit, remaining, reset }: SentNumbers,
    refused: boolean,
    numbersIn: NumbersIn,
    instead?: SentStanding,
  ) {
    this.limit = limit
    this.remaining = remaining
    this.reset = reset
    this.#refused = refused
    this.#numbersIn = numbersIn
    this.#instead = instead
  }

  /** The limit with fewer tokens left is sent, and a limit that refused always. */
  merge(existing: string | undefined, value: string, read: FieldReader | undefined): string {
    if (this.#refused) return value
    const there = this.#numbersIn(existing, read)
    if (there === undefined || there.remaining > this.remaining || isSame(there, this.#instead)) return value
    // Only the number of used tokens may be missing in a group, and follows from the rest.
    return existing ?? String(Math.max(0, there.limit - there.remaining))
  }

  replacing(earlier: Standing | undefined): SentStanding {
    return new SentStanding(this, this.#refused, this.#numbersIn, earlier as SentStanding | undefined)
  }
}

function isSame(a: SentNumbers, b: SentNumbers | undefined): boolean {
  return a.limit === b?.limit && a.remaining === b.remaining && a.reset === b.reset
}

/** `fromMs`: the moment that `reset` counts from; 0 for seconds from now. */
function standingOf(limits: readonly LimitStatus[], fromMs: number, numbersIn: NumbersIn): SentStanding {
  const status = tightestOf(limits)
  const wait = sentWaitOf(status)
  const sent = Math.min(wait, MOST_SECONDS * 1000)
  const reset = wait === Number.POSITIVE_INFINITY ? undefined : Math.max(0, Math.ceil((fromMs + sent) / 1000))
  const { limit, remaining, refused } = status
  return new SentStanding({ limit: limit.burst, remaining, reset }, refused, numbersIn)
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

/** In this revision a policy has no name but its quota: of two policies with one quota only the slower is sent. */
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

/** Reads a dictionary with the three numbers, as draft-7 has it. */
function inDictionary(existing: string | undefined): SentNumbers | undefined {
  const members = existing === undefined ? undefined : parseDictionary(existing)
  return numbers((key) => {
    const item = members?.get(key)?.item
    return item !== undefined && 'type' in item && item.type === 'integer' && item.value >= 0 ? item.value : undefined
  })
}

/** `undefined` unless all three numbers are there: half a group describes nothing. */
function numbers(numberOf: (key: keyof SentNumbers) => number | undefined): SentNumbers | undefined {
  const [limit, remaining, reset] = [numberOf('limit'), numberOf('remaining'), numberOf('reset')]
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined
  return { limit, remaining, reset }
}

const RATE_LIMIT = /* @__PURE__ */ groupOf('RateLimit')
const X_RATE_LIMIT = /* @__PURE__ */ groupOf('X-RateLimit')
