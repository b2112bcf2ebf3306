import { costFor, drained, elapsedMs, fits, owedAfterTake } from '../bucket/bucket.js'
import { allowedBy, type Decision, decisionOf, statusOf } from '../bucket/decision.js'
import { listOf } from '../bucket/list-of.js'
import type { Charge } from '../limit/charge.js'
import type { Limit } from '../limit/limit.js'
import { aheadOf } from './blocks.js'

/**
 * The decision on one charge whose limits are just those of a block, made on the block's own numbers: drains its buckets
 * (at `first` and following in `state`) to `now`, takes from all of them or from none, and says how each stands.
 */
export function decideBlock(state: Float64Array, first: number, charge: Charge, now: number): Decision {
  const { scope = '', key, limits, cost } = charge
  const at = state[first - 1] as number
  const elapsed = elapsedMs(at, now)
  const aheadMs = at > now ? aheadOf(state, first, limits.length, now) : 0
  state[first - 1] = now + aheadMs
  if (limits.length !== 2) return decideAll(state, first, charge, elapsed, aheadMs)
  // The same for two limits, the commonest number, without the loops: a fifth of a take.
  const one = limits[0] as Limit
  const two = limits[1] as Limit
  const asksOne = costFor(one, cost)
  const asksTwo = costFor(two, cost)
  let owedOne = drained(state[first] as number, elapsed, one)
  let owedTwo = drained(state[first + 1] as number, elapsed, two)
  const fitsOne = fits(owedOne, one, asksOne)
  const fitsTwo = fits(owedTwo, two, asksTwo)
  const allowed = fitsOne && fitsTwo
  if (allowed) {
    owedOne = owedAfterTake(owedOne, one, asksOne)
    owedTwo = owedAfterTake(owedTwo, two, asksTwo)
  }
  state[first] = owedOne
  state[first + 1] = owedTwo
  const statuses = listOf(
    statusOf(one, key, scope, asksOne, !fitsOne, owedOne, aheadMs),
    statusOf(two, key, scope, asksTwo, !fitsTwo, owedTwo, aheadMs),
  )
  return allowed ? allowedBy(statuses) : decisionOf(statuses)
}

function decideAll(state: Float64Array, first: number, charge: Charge, elapsed: number, aheadMs: number): Decision {
  const { scope = '', key, limits, cost } = charge
  let allowed = true
  for (let i = 0; i < limits.length; i++) {
    const limit = limits[i] as Limit
    const owed = drained(state[first + i] as number, elapsed, limit)
    state[first + i] = owed
    if (!fits(owed, limit, costFor(limit, cost))) allowed = false
  }
  const statuses = limits.map((limit, i) => {
    const asks = costFor(limit, cost)
    const before = state[first + i] as number
    const owed = allowed ? owedAfterTake(before, limit, asks) : before
    state[first + i] = owed
    return statusOf(limit, key, scope, asks, !allowed && !fits(before, limit, asks), owed, aheadMs)
  })
  return allowed ? allowedBy(statuses) : decisionOf(statuses)
}
