import { advice, adviceOnTokens } from '../base/advice.js'
import { railError, unexpected } from '../base/errors.js'
import { adviceOnName } from '../base/suggestion.js'
import { type Duration, durationMs } from './duration.js'
import { interned } from './interned.js'

/**
 * A rule: `tokens` per `windowMs`, in a bucket that holds `burst`. Made by {@link limit}, {@link perSecond} and the like.
 * Plain frozen data, so it can be compared, stored and sent.
 */
export interface Limit {
  /** The algorithm. Today the only one is the token bucket. */
  readonly kind: 'token-bucket'
  /** Printable ASCII, unique ignoring case among the limits of one request. Sent to clients. */
  readonly name: string
  /** How many tokens drain back in one window. */
  readonly tokens: number
  /** The window, in milliseconds. */
  readonly windowMs: number
  /** The bucket's size in tokens: how much can be taken at once after a pause. */
  readonly burst: number
  /** The burst of the whole limit. Differs from `burst` only in a share (see {@link share}). */
  readonly wholeBurst: number
  /** `'cost'`: a request takes its cost. `'requests'`: every request takes 1, and settle leaves it alone. */
  readonly counts: 'cost' | 'requests'
  /** Grains in one token. The bucket counts in grains, so that all its arithmetic is on whole numbers. */
  readonly grain: number
  /** Grains that drain in one millisecond. */
  readonly flow: number
  /** The bucket's size in grains. At most 2^53 - 1. */
  readonly size: number
}

/** The argument of {@link limit}. */
export interface LimitDefinition {
  /** Printable ASCII, sent to clients as the name of the policy. */
  readonly name: string
  /** How many tokens per window: a whole number from 1, at most 15 digits. */
  readonly tokens: number
  /** The window: `'10s'`, `'1h'`, `'30d'`, or whole milliseconds. */
  readonly per: Duration
  /** The bucket's size. @default tokens */
  readonly burst?: number | undefined
  /** What a request takes: its cost, or always 1. @default 'cost' */
  readonly counts?: 'cost' | 'requests' | undefined
}

/** The options of {@link perSecond} and the like. */
export type LimitOptions = Partial<Pick<LimitDefinition, 'name' | 'burst' | 'counts'>>

/** RFC 9651 section 3.3.1: an Integer has at most 15 digits. */
export const LARGEST_INTEGER = 999_999_999_999_999

/**
 * The general form of a limit: any number of tokens per any window.
 *
 * @example
 * limit({ name: 'model_tokens', tokens: 90_000, per: '1m' })
 *
 * @throws RailError `RAIL_BAD_LIMIT` or `RAIL_BAD_DURATION` for anything else than {@link LimitDefinition} describes, and
 * for a bucket of more than 2^53 - 1 grains, beyond which JavaScript's numbers are not exact
 */
export function limit(definition: LimitDefinition): Limit {
  checkMembers(definition, DEFINITION_NAMES, 'limit()', '{ name, tokens, per }')
  return checked(definition)
}

/** `tokens` per second, named `per_second`. @throws as {@link limit} */
export function perSecond(tokens: number, options?: LimitOptions): Limit {
  return perWindow('perSecond()', 'per_second', '1s', tokens, options)
}

/** `tokens` per minute, named `per_minute`. @throws as {@link limit} */
export function perMinute(tokens: number, options?: LimitOptions): Limit {
  return perWindow('perMinute()', 'per_minute', '1m', tokens, options)
}

/** `tokens` per hour, named `per_hour`. @throws as {@link limit} */
export function perHour(tokens: number, options?: LimitOptions): Limit {
  return perWindow('perHour()', 'per_hour', '1h', tokens, options)
}

/** `tokens` per day of 24 hours, named `per_day`. @throws as {@link limit} */
export function perDay(tokens: number, options?: LimitOptions): Limit {
  return perWindow('perDay()', 'per_day', '1d', tokens, options)
}

/** The limit of numbers that are checked already. @throws RailError `RAIL_BAD_LIMIT` when its bucket is too large */
export function limitOf(rule: Pick<Limit, 'name' | 'tokens' | 'windowMs' | 'burst' | 'wholeBurst' | 'counts'>): Limit {
  const { name, tokens, windowMs, burst, wholeBurst, counts } = rule
  const grain = grainOf(tokens, windowMs)
  const size = burst * grain
  if (size > Number.MAX_SAFE_INTEGER) {
    const most = Math.floor(Number.MAX_SAFE_INTEGER / grain)
    throw unexpected(
      'RAIL_BAD_LIMIT',
      `burst of limit "${name}"`,
      `at most ${most}, which whole numbers count exactly at this rate`,
      burst,
      advice('Lower the burst, or round the tokens: 1_000_000 instead of 999_983.'),
    )
  }
  const flow = tokens / (windowMs / grain)
  return Object.freeze(
    new Made({ kind: 'token-bucket', name, tokens, windowMs, burst, wholeBurst, counts, grain, flow, size } as const),
  )
}

/** Lets {@link Made} put its private field on an object of another's making, which stays plain data. */
const Given = class {
  constructor(limit: Limit) {
    // biome-ignore lint/correctness/noConstructorReturn: this is what it is for
    return limit
  }
} as new (
  limit: Limit,
) => Limit

/** Limits that this copy of core has made: nothing else is sure to be what it was when it was checked. */
class Made extends Given {
  // A field takes 8 bytes of a limit, an entry in a WeakSet some 100, and a large one is slow to collect.
  readonly #made = true

  static has(limit: object): boolean {
    return #made in limit
  }
}

export function isMade(limit: object): boolean {
  return Made.has(limit)
}

/** Grains in one token: the window over its greatest common divisor with the tokens. */
export function grainOf(tokens: number, windowMs: number): number {
  return windowMs / greatestCommonDivisor(tokens, windowMs)
}

/** Whether two limits count one bucket alike, so that nothing has to be converted. */
export function sameBucket(a: Limit, b: Limit): boolean {
  return a === b || (a.grain === b.grain && a.flow === b.flow && a.burst === b.burst && a.wholeBurst === b.wholeBurst)
}

/** Whether two lists of limits have the same buckets, in the same order. */
export function sameLimits(a: readonly Limit[], b: readonly Limit[]): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) {
    const [one, other] = [a[index] as Limit, b[index] as Limit]
    if (one !== other && (one.name !== other.name || !sameBucket(one, other))) return false
  }
  return true
}

/** The limit of a definition that has known members only. */
function checked({ name, tokens, per, burst = tokens, counts = 'cost' }: LimitDefinition): Limit {
  if (counts !== 'cost' && counts !== 'requests') {
    throw unexpected('RAIL_BAD_LIMIT', `counts of limit "${name}"`, "'cost' or 'requests'", counts)
  }
  return interned(name, tokens, per, burst, counts, () => {
    checkName(name)
    checkTokens('tokens', tokens, name)
    checkTokens('burst', burst, name)
    return limitOf({ name, tokens, windowMs: durationMs(per), burst, wholeBurst: burst, counts })
  })
}

const DEFINITION_NAMES = ['name', 'tokens', 'per', 'burst', 'counts']
const OPTION_NAMES = ['name', 'burst', 'counts']

function perWindow(
  where: string,
  defaultName: string,
  per: Duration,
  tokens: number,
  options: LimitOptions | undefined,
): Limit {
  if (options === undefined) return checked({ name: defaultName, tokens, per })
  checkMembers(options, OPTION_NAMES, where, '{ burst, name, counts }')
  const { name = defaultName, burst, counts } = options
  return checked({ name, tokens, per, burst, counts })
}

function checkMembers(given: unknown, known: readonly string[], where: string, expected: string): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw unexpected(
      'RAIL_BAD_LIMIT',
      where,
      expected,
      given,
      advice("Write limit({ name: 'calls', tokens: 10, per: '1s' })."),
    )
  }
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue
    throw railError('RAIL_BAD_LIMIT', `${name}: not an option of ${where}`, adviceOnName(name, known))
  }
}

function checkName(name: unknown): void {
  if (typeof name !== 'string' || !/^[\x20-\x7e]{1,256}$/.test(name)) {
    throw unexpected('RAIL_BAD_LIMIT', 'name of a limit', '1 to 256 characters of printable ASCII', name)
  }
}

function checkTokens(what: 'tokens' | 'burst', value: number, name: string): void {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > LARGEST_INTEGER) {
    throw unexpected(
      'RAIL_BAD_LIMIT',
      `${what} of limit "${name}"`,
      `a whole number from 1 to ${LARGEST_INTEGER}`,
      value,
      adviceOnTokens(value),
    )
  }
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
