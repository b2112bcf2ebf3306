import { checkOption, isString } from '../base/check.js'
import { unexpected } from '../base/errors.js'
import { type Charge, checkCost, checkKey } from './charge.js'
import { checkedLimits } from './check-limits.js'

/**
 * Checks the charges that a store is called with, and returns what was checked: the same array, or a copy where limits had
 * to be copied, see {@link checkedLimits}.
 *
 * @throws RailError `RAIL_BAD_CHARGES`, `RAIL_BAD_KEY`, `RAIL_BAD_COST`, `RAIL_BAD_OPTION` for a scope, and as for limits
 */
export function checkedCharges(charges: readonly Charge[]): readonly Charge[] {
  if (!Array.isArray(charges)) throw unexpected('RAIL_BAD_CHARGES', 'a store', 'an array of charges', charges)
  for (let index = 0; index < charges.length; index++) {
    const charge = charges[index] as Charge
    // The usual case, for each request: nothing is copied.
    if (!isUsual(charge) && checkedCharge(charge) !== charge) return charges.map(checkedCharge)
  }
  return charges
}

/** Limits that were checked last: most charges have the same. */
let latest: unknown

function isUsual(charge: Charge): boolean {
  return (
    typeof charge === 'object' &&
    charge !== null &&
    charge.limits === latest &&
    typeof charge.key === 'string' &&
    charge.key !== '' &&
    Number.isSafeInteger(charge.cost) &&
    charge.cost >= 0 &&
    (charge.scope === undefined || typeof charge.scope === 'string')
  )
}

function checkedCharge(charge: Charge): Charge {
  if (typeof charge !== 'object' || charge === null) {
    throw unexpected('RAIL_BAD_CHARGES', 'a charge', '{ key, limits, cost, scope? }', charge)
  }
  const { key, limits, cost, scope } = charge
  checkKey(key, 'key of a charge')
  checkCost(cost, 'cost of a charge')
  checkOption('scope of a charge', scope, 'a string', isString)
  const own = checkedLimits(limits, 'limits of a charge')
  latest = own
  return own === limits ? charge : { key, limits: own, cost, scope }
}

/** Checks the moment that a store is called with. @throws RailError `RAIL_BAD_CLOCK` */
export function checkNow(now: unknown): void {
  if (!Number.isSafeInteger(now)) throw unexpected('RAIL_BAD_CLOCK', 'now', 'whole milliseconds', now)
}
