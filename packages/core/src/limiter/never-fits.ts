import { advice } from '../base/advice.js'
import { type RailError, railError } from '../base/errors.js'
import { costFor } from '../bucket/bucket.js'
import type { Limit } from '../limit/limit.js'
import { sentName } from '../limit/sent-name.js'

/** The error of a cost above the burst of a limit. `name`: the limit's, as sent. */
export function neverFits({ wholeBurst }: Limit, name: string, cost: number): RailError {
  const fact = `cost: expected at most ${wholeBurst}, the burst of limit "${name}", got ${cost}`
  return railError('RAIL_NEVER_FITS', fact, advice('Raise the burst, or take less at once.'))
}

/**
 * Checks a cost and limits that are the same for every request: a number, and an array. Others are checked on each request.
 *
 * @throws RailError `RAIL_NEVER_FITS` where the cost is above the burst of one of them: every request would be refused
 */
export function checkFits(cost: unknown, scope: string, limits: unknown): void {
  if (typeof cost !== 'number' || !Array.isArray(limits)) return
  for (const limit of limits as readonly Limit[]) {
    if (costFor(limit, cost) > limit.wholeBurst) throw neverFits(limit, sentName(scope, limit), cost)
  }
}
