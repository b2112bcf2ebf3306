import type { BareItem, Member } from '../headers/structured-field.js'
import { LARGEST_INTEGER } from '../limit/limit.js'

/** One limit, as a client knows it. All numbers are whole, not negative and safe, however large what was sent. */
export interface ParsedLimit {
  readonly name?: string
  /** Tokens that a full bucket holds. */
  readonly quota?: number
  readonly windowMs?: number
  readonly remaining: number
  /** Milliseconds within which no more than what remains may be used. May be longer than `setTimeout` can wait, 2147483647. */
  readonly resetAfterMs?: number
}

/** A limit of what is known of it: without the properties that are `undefined`. */
export function parsedLimit(known: Known): ParsedLimit {
  const defined = Object.entries(known).filter(([, value]) => value !== undefined)
  // Only optional properties may be undefined in what is known.
  return Object.fromEntries(defined) as unknown as ParsedLimit
}

type Known = Pick<ParsedLimit, 'remaining'> & {
  readonly [Property in Exclude<keyof ParsedLimit, 'remaining'>]?: ParsedLimit[Property] | undefined
}

/** A number of tokens as a limit tells it: whole, bounded. */
export function boundedTokens(tokens: number): number {
  return Math.min(Math.max(0, Math.floor(tokens)), LARGEST_INTEGER)
}

/** A window in milliseconds, from seconds; none where it has no length. */
export function windowMsOf(seconds: number | undefined): number | undefined {
  return seconds === undefined || seconds <= 0
    ? undefined
    : Math.min(Math.ceil(seconds * 1000), Number.MAX_SAFE_INTEGER)
}

/** The bare item of a member; none where it is an inner list. */
export function bareOf({ item }: Member): BareItem | undefined {
  return 'type' in item ? item : undefined
}

/** An item that is a whole number from 0; anything else is as good as missing. */
export function integerOf(item: BareItem | undefined): number | undefined {
  return item?.type === 'integer' && item.value >= 0 ? item.value : undefined
}
