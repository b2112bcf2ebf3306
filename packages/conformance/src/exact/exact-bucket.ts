import type { Limit } from '@rail/core'
import { compare, type Fraction, ratio, reduced } from './fraction.js'

/** One bucket that is charged, by one charge or by several that meet in it. */
export interface ChargedBucket {
  readonly scope: string
  readonly key: string
  readonly limit: Limit
  readonly cost: number
}

/** The buckets of one key in one scope. */
export interface ExactRow {
  /** The moment the buckets are drained to. */
  readonly at: number
  /** By limit name. Only buckets that owe something: a missing one is full. */
  readonly buckets: Map<string, ExactBucket>
}

export interface ExactBucket {
  /** The definition it was last charged under. */
  readonly limit: Limit
  /** Tokens. */
  readonly owed: Fraction
  /** Tokens that were spent and that a smaller definition has no room to show. They drain once `owed` is 0. */
  readonly cut: Fraction
}

/** Tokens that drain in a millisecond. */
export function rateOf(limit: Limit): Fraction {
  return ratio(limit.tokens, limit.windowMs)
}

/** Grains in one token: so many that a whole number of them drains in a millisecond. */
export function grainsOf(limit: Limit): bigint {
  return reduced(rateOf(limit)).under
}

/** Whether two limits fill and drain alike. */
export function sameDefinition(a: Limit, b: Limit): boolean {
  return compare(rateOf(a), rateOf(b)) === 0 && a.burst === b.burst && a.wholeBurst === b.wholeBurst
}
