import type { Limit } from '../limit/limit.js'

/*
 * The arithmetic of one bucket, as pure functions of whole numbers. A bucket counts what is owed, in grains: 0 is a full
 * bucket, the limit's `size` an empty one, anything above it a debt. A missing bucket is therefore a full one.
 *
 * Everything stays exact: products are bounded by `size` (at most 2^53 - 1), and for whole a, b with a < 2^53 the
 * rounded quotient a / b is never on the wrong side of a whole number (a true quotient is at least 1 / b away from one it
 * does not equal, half a unit in the last place is less), so Math.floor and Math.ceil of it are right to the digit.
 */

/** What is owed never passes this. */
export const MOST_OWED = Number.MAX_SAFE_INTEGER

/** A step back of the clock up to this many milliseconds is waited out; a longer one re-anchors the key. */
export const MOST_AHEAD_MS = 60_000

/** How long has drained since `at`. A step back of the clock mints nothing. */
export function elapsedMs(at: number, now: number): number {
  return now > at ? now - at : 0
}

/** What is owed after `elapsed` milliseconds, at `limit`'s flow. */
export function drained(owed: number, elapsed: number, limit: Limit): number {
  const left = owed - elapsed * limit.flow
  return left > 0 ? left : 0
}

/** What a request of this cost takes from `limit`, in tokens. */
export function costFor(limit: Limit, cost: number): number {
  return limit.counts === 'cost' ? cost : 1
}

/** Grains that must be free for `cost` tokens. A cost above the burst (of a share) is let in by a full bucket. */
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

/** What is owed once `cost` tokens are taken. */
export function owedAfterTake(owed: number, limit: Limit, cost: number): number {
  // Rounding is monotone, so a product or a sum past 2^53 - 1 never seems to be below it.
  const owes = owed + cost * limit.grain
  return owes < MOST_OWED ? owes : MOST_OWED
}

/** What is owed once `cost` tokens are given back: never above full. */
export function givenBack(owed: number, limit: Limit, cost: number): number {
  const owes = owed - cost * limit.grain
  return owes > 0 ? owes : 0
}

/** Whole tokens left. */
export function remainingOf(owed: number, limit: Limit): number {
  return owed < limit.size ? Math.floor((limit.size - owed) / limit.grain) : 0
}

/** Milliseconds until the bucket is full. `aheadMs` is how far the clock has stepped back: until it catches up, nothing drains. */
export function fullAfter(owed: number, limit: Limit, aheadMs: number): number {
  return owed === 0 ? 0 : aheadMs + Math.ceil(owed / limit.flow)
}

/** What a bucket owes, and what it owes in all: with what was spent and has no room in its size. Equal in most buckets. */
export interface Carried {
  readonly owed: number
  readonly total: number
}

/**
 * A bucket when `after` replaces `before` under it. What was spent stays spent, in tokens; a debt stays a debt. A smaller
 * size has no room for all that was spent: `total` remembers the rest, and as much of it as a later size grows is owed again.
 * So a raised limit is felt at once, and definitions that take turns allow no more than the larger one.
 *
 * Whatever drains, is taken or is given back changes both numbers alike.
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
