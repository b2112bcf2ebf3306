import { adviceOnNumber, suggestionFor } from '../base/check.js'
import { RailError, shown } from '../base/errors.js'
import { type Duration, durationMs } from './duration.js'

/**
 * A rule: `tokens` per `windowMs`, in a bucket that holds `burst`. Made by {@link limit} or {@link perSecond} and its
 * siblings; plain frozen data, so it can be compared, written down and sent.
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
  /** The bucket's size in tokens: how much may be taken at once after a quiet spell. */
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

/** What {@link limit} takes. */
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

/** What {@link perSecond} and its siblings take beside the number. */
export type LimitOptions = Partial<Pick<LimitDefinition, 'name' | 'burst' | 'counts'>>

/** RFC 9651 section 3.3.1: an Integer has at most 15 digits. */
export const LARGEST_INTEGER = 999_999_999_999_999

/**
 * The general form of a limit: any number of tokens per any window.
 *
 * @example
 * limit({ name: 'model_tokens', tokens: 90_000, per: '1m' })
 *
 * @throws RailError `RAIL_BAD_LIMIT` or `RAIL_BAD_DURATION` for anything that is not exactly as described, and for a
 * limit whose bucket would pass 2^53 - 1 grains, beyond which whole numbers are no longer exact.
 */
export function limit(definition: LimitDefinition): Limit {
  if (typeof definition !== 'object' || definition === null) {
    throw new RailError(
      'RAIL_BAD_LIMIT',
      `limit() takes { name, tokens, per }, got ${shown(definition)}. Write limit({ name: 'calls', tokens: 10, per: '1s' }).`,
    )
  }
  refuseUnknown(definition, DEFINITION_NAMES, 'limit()')
  const { name, tokens, per, burst = tokens, counts = 'cost' } = definition
  checkName(name)
  checkTokens('tokens', tokens, name)
  checkTokens('burst', burst, name)
  if (counts !== 'cost' && counts !== 'requests') {
    throw new RailError(
      'RAIL_BAD_LIMIT',
      `counts of limit "${name}" is 'cost' or 'requests', got ${shown(counts)}. Give one, or leave it out.`,
    )
  }
  return limitOf({ name, tokens, windowMs: durationMs(per), burst, wholeBurst: burst, counts })
}

/** `tokens` per second, named `per_second`. @throws as {@link limit} */
export function perSecond(tokens: number, options?: LimitOptions): Limit {
  return perWindow('per_second', '1s', tokens, options)
}

/** `tokens` per minute, named `per_minute`. @throws as {@link limit} */
export function perMinute(tokens: number, options?: LimitOptions): Limit {
  return perWindow('per_minute', '1m', tokens, options)
}

/** `tokens` per hour, named `per_hour`. @throws as {@link limit} */
export function perHour(tokens: number, options?: LimitOptions): Limit {
  return perWindow('per_hour', '1h', tokens, options)
}

/** `tokens` per day of 24 hours, named `per_day`. @throws as {@link limit} */
export function perDay(tokens: number, options?: LimitOptions): Limit {
  return perWindow('per_day', '1d', tokens, options)
}

/** The limit that checked numbers make: adds what follows from them. @throws RailError `RAIL_BAD_LIMIT` when too large */
export function limitOf(rule: Pick<Limit, 'name' | 'tokens' | 'windowMs' | 'burst' | 'wholeBurst' | 'counts'>): Limit {
  const { name, tokens, windowMs, burst, wholeBurst, counts } = rule
  const grain = grainOf(tokens, windowMs)
  const size = burst * grain
  if (size > Number.MAX_SAFE_INTEGER) {
    throw new RailError(
      'RAIL_BAD_LIMIT',
      `Limit "${name}" is too large to be counted exactly: burst ${burst} * ${grain} grains a token passes 2^53 - 1. ` +
        'Lower the burst, or choose tokens and a window with a larger common divisor.',
    )
  }
  const flow = tokens / (windowMs / grain)
  return Object.freeze({ kind: 'token-bucket', name, tokens, windowMs, burst, wholeBurst, counts, grain, flow, size })
}

/** Grains in one token: the window over its greatest common divisor with the tokens. */
export function grainOf(tokens: number, windowMs: number): number {
  return windowMs / greatestCommonDivisor(tokens, windowMs)
}

/** Whether two limits keep the same bucket in the same way, so that nothing need be carried over. */
export function sameBucket(a: Limit, b: Limit): boolean {
  return a === b || (a.grain === b.grain && a.flow === b.flow && a.burst === b.burst && a.wholeBurst === b.wholeBurst)
}

/** Whether both make the same buckets, in the same order. */
export function sameLimits(a: readonly Limit[], b: readonly Limit[]): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) {
    const [one, other] = [a[index] as Limit, b[index] as Limit]
    if (one !== other && (one.name !== other.name || !sameBucket(one, other))) return false
  }
  return true
}

const DEFINITION_NAMES = ['name', 'tokens', 'per', 'burst', 'counts']
const OPTION_NAMES = ['name', 'burst', 'counts']

function perWindow(defaultName: string, per: Duration, tokens: number, options: LimitOptions = {}): Limit {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new RailError(
      'RAIL_BAD_LIMIT',
      `The options of ${defaultName} are an object, { burst, name, counts }, got ${shown(options)}. Write { burst: 20 }.`,
    )
  }
  refuseUnknown(options, OPTION_NAMES, `the options of ${defaultName}`)
  const { name = defaultName, burst, counts } = options
  return limit({ name, tokens, per, burst, counts })
}

function refuseUnknown(given: object, known: readonly string[], where: string): void {
  for (const name of Object.keys(given)) {
    if (!known.includes(name)) {
      throw new RailError(
        'RAIL_BAD_LIMIT',
        `Unknown "${name}" in ${where}; it takes ${known.join(', ')}.${suggestionFor(name, known)}`,
      )
    }
  }
}

function checkName(name: unknown): void {
  if (typeof name !== 'string' || !/^[\x20-\x7e]{1,256}$/.test(name)) {
    throw new RailError(
      'RAIL_BAD_LIMIT',
      `A limit's name is 1 to 256 characters of printable ASCII (it is sent in a header), got ${shown(name)}. Name it like "per_user".`,
    )
  }
}

function checkTokens(what: 'tokens' | 'burst', value: number, name: string): void {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > LARGEST_INTEGER) {
    throw new RailError(
      'RAIL_BAD_LIMIT',
      `${what} of limit "${name}" is a whole number from 1 to ${LARGEST_INTEGER}, got ${shown(value)}. ${adviceOnNumber(value) ?? adviceOn(value)}`,
    )
  }
}

/** What to do about a number of tokens that cannot be. */
function adviceOn(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return 'For no limit leave the limit out: limits may be [].'
  if (Number.isFinite(value) && !Number.isInteger(value)) return "Round it, or take a longer window: 3 per '2s'."
  return value < 1 ? `${value} would refuse everybody: give 1 or more.` : 'Lower it.'
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
