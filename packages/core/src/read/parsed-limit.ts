import type { BareItem, Member } from '../headers/structured-field.js'
import { LARGEST_INTEGER } from '../limit/limit.js'

/** One limit, as a response has it. All numbers are whole, not negative and safe, however large the sent ones were. */
export interface ParsedLimit {
  readonly name?: string
  /** The tokens of a full bucket. */
  readonly quota?: number
  readonly windowMs?: number
  readonly remaining: number
  /** The milliseconds in which no more than `remaining` may be used. May be longer than `setTimeout` can wait, 2147483647. */
  readonly resetAfterMs?: number
}

/** A limit without the properties that are `undefined`. */
export function parsedLimit(known: Known): ParsedLimit {
  const defined = Object.entries(known).filter(([, value]) => value !== undefined)
  // Only optional properties may be undefined in Known.
  return Object.fromEntries(defined) as unknown as ParsedLimit
}

type Known = Pick<ParsedLimit, 'remaining'> & {
  readonly [Property in Exclude<keyof ParsedLimit, 'remaining'>]?: ParsedLimit[Property] | undefined
}

/** A number of tokens, made whole and bounded. */
export function boundedTokens(tokens: number): number {
  return Math.min(Math.max(0, Math.floor(tokens)), LARGEST_INTEGER)
}

/** A window in milliseconds, from seconds; `undefined` for a length of 0 or less. */
export function windowMsOf(seconds: number | undefined): number | undefined {
  return seconds === undefined || seconds <= 0
    ? undefined
    : Math.min(Math.ceil(seconds * 1000), Number.MAX_SAFE_INTEGER)
}

/** The bare item of a member; `undefined` for an inner list. */
export function bareOf({ item }: Member): BareItem | undefined {
  return 'type' in item ? item : undefined
}

/** The value of an item that is a whole number of 0 or more; `undefined` for anything else. */
export function integerOf(item: BareItem | undefined): number | undefined {
  return item?.type === 'integer' && item.value >= 0 ? item.value : undefined
}
