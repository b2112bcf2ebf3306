import type { Limit } from '../limit/limit.js'

/*
 * The arithmetic of one bucket, as pure functions of whole numbers. A bucket counts the grains that it owes: 0 is a full
 * bucket, the limit's `size` an empty one, and a larger number a debt. A missing bucket is therefore a full one.
 *
 * Every result is exact. Products are bounded by `size`, at most 2^53 - 1. For whole a and b with a < 2^53, Math.floor and
 * Math.ceil of the rounded quotient a / b are those of the true quotient. A true quotient that is not whole is at least
 * 1 / b away from the nearest whole number, and rounding moves it by less: half a unit in the last place.
 */

/** The most grains that a bucket owes. */
export const MOST_OWED = Number.MAX_SAFE_INTEGER

/** A step back of the clock up to this many milliseconds is waited out. After a longer one the key goes on from the new time. */
export const MOST_AHEAD_MS = 60_000

/** Milliseconds from `at` to `now`, in which a bucket drains: 0 after a step back of the clock. */
export function elapsedMs(at: number, now: number): number {
  return now > at ? now - at : 0
}

/** Grains owed after `elapsed` milliseconds, at `limit`'s flow. */
export function drained(owed: number, elapsed: number, limit: Limit): number {
  const left = owed - elapsed * limit.flow
  return left > 0 ? left : 0
}

/** Tokens that a request of this cost takes from `limit`. */
export function costFor(limit: Limit, cost: number): number {
  return limit.counts === 'cost' ? cost : 1
}

/** Grains that must be free for `cost` tokens. A full bucket of a share allows a cost above the share's burst. */
function needed(limit: Limit, cost: number): number {
  return (cost < limit.burst ? cost : limit.burst) * limit.grain
}

/** Whether `cost` tokens fit into a bucket that owes `owed`. A cost of 0 always does. */
export function fits(owed: number, limit: Limit, cost: number): boolean {
  return cost === 0 || (cost <= limit.wholeBurst && owed <= limit.size - needed(limit, cost))
}

/** Milliseconds until `cost` tokens fit: 0 if they do now, Infinity if they never will. `aheadMs` as in {@link fullAfter}. */
export function waitFor(owed: number, limit: Limit, cost: number, aheadMs: number): number {
  if (fits(owed, limit, cost)) return 0
  if (cost > limit.wholeBurst) return Number.POSITIVE_INFINITY
  return aheadMs + Math.ceil((owed - (limit.size - needed(limit, cost))) / limit.flow)
}

/** Grains owed once `cost` tokens are taken. */
export function owedAfterTake(owed: number, limit: Limit, cost: number): number {
  // Rounding is monotone, so a product or a sum above 2^53 - 1 is never rounded to below it.
  const owes = owed + cost * limit.grain
  return owes < MOST_OWED ? owes : MOST_OWED
}

/** Grains owed once `cost` tokens are given back: never below 0. */
export function givenBack(owed: number, limit: Limit, cost: number): number {
  const owes = owed - cost * limit.grain
  return owes > 0 ? owes : 0
}

/** Whole tokens left. */
export function remainingOf(owed: number, limit: Limit): number {
  return owed < limit.size ? Math.floor((limit.size - owed) / limit.grain) : 0
}

/**
 * Milliseconds until the bucket is full. `aheadMs`: how far the clock has stepped back. A bucket does not drain until the
 * clock catches up.
 */
export function fullAfter(owed: number, limit: Limit, aheadMs: number): number {
  return owed === 0 ? 0 : aheadMs + Math.ceil(owed / limit.flow)
}

/** Grains that a bucket owes, and its total with those that its size has no room for. Both are mostly equal. */
export interface Carried {
  readonly owed: number
  readonly total: number
}

/**
 * A bucket when `after` replaces `before` as its limit. Spent tokens stay spent, and a debt stays a debt. A smaller size may
 * have no room for all spent tokens. `total` remembers the rest, which is owed again as far as a later size grows. So a
 * raised limit takes effect at once, and definitions that take turns allow no more than the larger one.
 *
 * Draining, taking and giving back change both numbers alike.
 */
export function carriedOver(owed: number, total: number, before: Limit, after: Limit): Carried {
  const spent = Math.min(owed, before.size)
  const shown = converted(spent, before, after)
  const debt = converted(owed - spent, before, after)
  const cut = converted(total - owed, before, after)
  const counted = Math.min(cut, Math.max(0, (after.burst - before.burst) * after.grain))
  return { owed: sum(Math.min(shown + counted, after.size), debt), total: sum(sum(shown, cut), debt) }
}

function sum(a: number, b: number): number {
  return Math.min(a + b, MOST_OWED)
}

/** The same tokens in the other limit's grains, rounded up. */
function converted(grains: number, before: Limit, after: Limit): number {
  if (before.grain === after.grain || grains === 0) return grains
  const [from, to] = [BigInt(before.grain), BigInt(after.grain)]
  const exact = (BigInt(grains) * to + from - 1n) / from
  return exact > MOST_OWED ? MOST_OWED : Number(exact)
}
