import { checkOption, isString } from '../base/check.js'
import { unexpected } from '../base/errors.js'
import { type Charge, checkCost, checkKey } from './charge.js'
import { checkedLimits } from './check-limits.js'

/**
 * Checks the charges that a store is called with. Returns copies: what was checked is what is charged, whatever a getter or a
 * Proxy returns later.
 *
 * @throws RailError `RAIL_BAD_CHARGES`, `RAIL_BAD_KEY`, `RAIL_BAD_COST`, `RAIL_BAD_OPTION` for a scope, and as for limits
 */
export function checkedCharges(charges: readonly Charge[]): readonly Charge[] {
  if (!Array.isArray(charges)) throw unexpected('RAIL_BAD_CHARGES', 'a store', 'an array of charges', charges)
  const own: Charge[] = []
  for (let index = 0; index < charges.length; index++) own.push(checkedCharge(charges[index]))
  return own
}

/** Limits that were checked last: most charges have the same. */
let latest: unknown

function checkedCharge(charge: unknown): Charge {
  if (typeof charge !== 'object' || charge === null) {
    throw unexpected('RAIL_BAD_CHARGES', 'a charge', '{ key, limits, cost, scope? }', charge)
  }
  const { key, limits, cost, scope } = charge as Charge
  checkKey(key, 'key of a charge')
  checkCost(cost, 'cost of a charge')
  if (scope !== undefined) checkOption('scope of a charge', scope, 'a string', isString)
  if (limits === latest) return { scope, key, limits, cost }
  const own = checkedLimits(limits, 'limits of a charge')
  latest = own
  return { scope, key, limits: own, cost }
}

/** Checks the moment that a store is called with. @throws RailError `RAIL_BAD_CLOCK` */
export function checkNow(now: unknown): void {
  if (!Number.isSafeInteger(now)) throw unexpected('RAIL_BAD_CLOCK', 'now', 'whole milliseconds', now)
}
