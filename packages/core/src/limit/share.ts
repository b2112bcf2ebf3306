import { advice } from '../base/advice.js'
import { unexpected } from '../base/errors.js'
import { MAKE_LIMITS, ownLimit } from './check-limits.js'
import { grainOf, type Limit, limitOf } from './limit.js'

/**
 * The part of a limit that one of `servers` servers enforces: tokens and burst divided, rounded up and never below 1;
 * the window and the name stay. 10 per second on 4 servers is 3 each, about 12 in all.
 *
 * A share remembers the burst of the whole limit, so that a request whose cost is above the share but within the whole
 * limit still passes when the bucket is full, and leaves a debt. A share of a share keeps the first whole.
 *
 * A legal limit never makes it throw. Where `(burst + wholeBurst)` in grains would pass 2^53 - 1, tokens are rounded up
 * further, to a multiple of 2, 4, 8 and so on, so that a token has fewer grains. For a window with too few factors of two
 * it is a multiple of another divisor of the window.
 *
 * @throws RailError `RAIL_BAD_SHARE` when `servers` is not a whole number from 1, and for anything but a limit.
 */
export function share(limit: Limit, servers: number): Limit {
  if (!Number.isSafeInteger(servers) || servers < 1) {
    const toDo = advice('While the number is not known, use 1.')
    throw unexpected('RAIL_BAD_SHARE', 'servers of share()', 'a whole number from 1', servers, toDo)
  }
  const whole = ownLimit(limit)
  if (whole === undefined) throw unexpected('RAIL_BAD_SHARE', 'share()', 'a limit', limit, advice(MAKE_LIMITS))
  if (servers === 1) return whole
  const { name, windowMs, wholeBurst, counts } = whole
  const burst = Math.ceil(whole.burst / servers)
  const largestGrain = Math.floor(Number.MAX_SAFE_INTEGER / (burst + wholeBurst))
  const tokens = roundedUp(Math.ceil(whole.tokens / servers), windowMs, largestGrain)
  return limitOf({ name, tokens, windowMs, burst, wholeBurst, counts })
}

/** The fewest tokens from `tokens` up that make a grain of at most `largestGrain`, by the first rule that reaches it. */
function roundedUp(tokens: number, windowMs: number, largestGrain: number): number {
  for (let multiple = 1; windowMs % multiple === 0; multiple *= 2) {
    const candidate = Math.ceil(tokens / multiple) * multiple
    if (grainOf(candidate, windowMs) <= largestGrain) return candidate
  }
  // More twos cannot help: the window has no more of them. A multiple of windowMs / grain makes a grain of that size.
  let grain = 1
  for (let divisor = 1; divisor <= MOST_TRIED && divisor * divisor <= windowMs; divisor++) {
    if (windowMs % divisor !== 0) continue
    if (divisor <= largestGrain) grain = Math.max(grain, divisor)
    if (windowMs / divisor <= largestGrain) grain = Math.max(grain, windowMs / divisor)
  }
  const multiple = windowMs / grain
  return Math.ceil(tokens / multiple) * multiple
}

/** Covers every divisor of windows up to 31 years; past it the search gives up precision, never exactness. */
const MOST_TRIED = 1_000_000
