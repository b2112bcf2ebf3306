import { type Charge, tokensTaken } from '../limit/charge.js'
import { drained, givenBack, owedAfterTake } from './bucket.js'
import { allowedBy, type Decision, type LimitStatus, statusOf } from './decision.js'

/**
 * An allowed decision `elapsedMs` later, when `after` is charged in place of `before`. It is computed from the decision
 * alone: no store has to answer again. It never shows more tokens than there are, and its times are at most 1 ms too long.
 */
export function settled(
  decision: Decision,
  before: readonly Charge[],
  after: readonly Charge[],
  elapsedMs: number,
): Decision {
  const limits = decision.limits.map((status) => {
    const { limit, key, scope, cost } = status
    const more = tokensTaken(after, status, limit) - tokensTaken(before, status, limit)
    const owed = drained(mostOwed(status), elapsedMs, limit)
    const owes = more > 0 ? owedAfterTake(owed, limit, more) : givenBack(owed, limit, -more)
    return statusOf(limit, key, scope, cost, false, owes, 0)
  })
  return allowedBy(limits)
}

/** The most grains that a bucket of this status can owe: less than what drains in a millisecond above what it owes. */
function mostOwed({ limit, cost, remaining, fullAfterMs }: LimitStatus): number {
  const most = fullAfterMs * limit.flow
  const mayBeInDebt = remaining === 0 && (cost === 0 || cost > limit.burst)
  return mayBeInDebt ? most : Math.min(most, limit.size - remaining * limit.grain)
}
