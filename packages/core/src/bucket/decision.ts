import { checkArgument } from '../base/check.js'
import type { Limit } from '../limit/limit.js'
import { sentName } from '../limit/sent-name.js'
import { fullAfter, remainingOf, waitFor } from './bucket.js'
import { listOf } from './list-of.js'

/** The answer to the charges of one request. */
export interface Decision {
  /** Whether every limit had room. If not, the request took nothing from any limit. */
  readonly allowed: boolean
  /** Each bucket's state after the decision, in the order of the charges and their limits. */
  readonly limits: readonly LimitStatus[]
  /** Milliseconds until the same request is allowed, if no other request takes before: 0 when allowed, Infinity for never. */
  readonly retryAfterMs: number
  /** The names, as sent (see {@link sentName}), of the limits that refused. */
  readonly refusedBy: readonly string[]
}

/** Checks an argument that should be a decision. @throws RailError `RAIL_BAD_OPTION` */
export function checkDecision(decision: unknown, where: string): void {
  const { limits } = (decision ?? {}) as Partial<Decision>
  checkArgument(Array.isArray(limits), where, "a decision, such as an outcome's", decision)
}

/** One bucket's part of a decision. */
export interface LimitStatus {
  readonly limit: Limit
  readonly key: string
  readonly scope: string
  /** Tokens that the request needs from this bucket. */
  readonly cost: number
  /** Whole tokens left. */
  readonly remaining: number
  /** Whether this limit refused. */
  readonly refused: boolean
  /**
   * Milliseconds until a request fits: one of this cost where this limit refused, one of cost 1 otherwise. 0 if one fits
   * now, Infinity if none ever will.
   */
  readonly retryAfterMs: number
  /** Milliseconds until the bucket is full. */
  readonly fullAfterMs: number
}

/** A bucket's status, from the grains that it owes after the decision. `aheadMs`: how far the clock has stepped back. */
export function statusOf(
  limit: Limit,
  key: string,
  scope: string,
  cost: number,
  refused: boolean,
  owed: number,
  aheadMs: number,
): LimitStatus {
  const remaining = remainingOf(owed, limit)
  const retryAfterMs = remaining > 0 && !refused ? 0 : waitFor(owed, limit, refused ? cost : 1, aheadMs)
  return new Status(limit, key, scope, cost, remaining, refused, retryAfterMs, fullAfter(owed, limit, aheadMs))
}

/** The decision from the statuses of all its buckets. */
export function decisionOf(limits: readonly LimitStatus[]): Decision {
  let retryAfterMs = 0
  let refusedBy: string[] | undefined
  for (const status of limits) {
    if (!status.refused) continue
    if (status.retryAfterMs > retryAfterMs) retryAfterMs = status.retryAfterMs
    const name = sentName(status.scope, status.limit)
    // An array of a known length costs less than one that grows.
    if (refusedBy === undefined) refusedBy = listOf(name)
    else if (refusedBy.length === 1) refusedBy = listOf(refusedBy[0] as string, name)
    else refusedBy.push(name)
  }
  return new Decided(refusedBy === undefined, limits, retryAfterMs, refusedBy ?? NO_NAMES)
}

/** The decision when all limits had room, and none has changed. */
export function allowedBy(limits: readonly LimitStatus[]): Decision {
  return new Decided(true, limits, 0, NO_NAMES)
}

// Classes, since V8 may allocate the objects of a literal in its old space: see list-of.ts.

class Status implements LimitStatus {
  declare readonly limit: Limit
  declare readonly key: string
  declare readonly scope: string
  declare readonly cost: number
  declare readonly remaining: number
  declare readonly refused: boolean
  declare readonly retryAfterMs: number
  declare readonly fullAfterMs: number

  constructor(
    limit: Limit,
    key: string,
    scope: string,
    cost: number,
    remaining: number,
    refused: boolean,
    retryAfterMs: number,
    fullAfterMs: number,
  ) {
    this.limit = limit
    this.key = key
    this.scope = scope
    this.cost = cost
    this.remaining = remaining
    this.refused = refused
    this.retryAfterMs = retryAfterMs
    this.fullAfterMs = fullAfterMs
  }
}

class Decided implements Decision {
  declare readonly allowed: boolean
  declare readonly limits: readonly LimitStatus[]
  declare readonly retryAfterMs: number
  declare readonly refusedBy: readonly string[]

  constructor(allowed: boolean, limits: readonly LimitStatus[], retryAfterMs: number, refusedBy: readonly string[]) {
    this.allowed = allowed
    this.limits = limits
    this.retryAfterMs = retryAfterMs
    this.refusedBy = refusedBy
  }
}

const NO_NAMES: readonly string[] = Object.freeze([])
