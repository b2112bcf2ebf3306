import { checkOption, isString } from '../base/check.js'
import { unexpected } from '../base/errors.js'
import { type Charge, checkCost, checkKey } from './charge.js'
import { checkedLimits } from './check-limits.js'
import { CheckedCharge } from './checked-charge.js'
import type { Limit } from './limit.js'

/**
 * Checks the charges that a store is called with. Others than a limiter's own are copied: a getter or a Proxy may return
 * another value when it is read again.
 *
 * @throws RailError `RAIL_BAD_CHARGES`, `RAIL_BAD_KEY`, `RAIL_BAD_COST`, `RAIL_BAD_OPTION` for a scope, and as for limits
 */
export function checkedCharges(charges: readonly Charge[]): readonly Charge[] {
  if (!Array.isArray(charges)) throw unexpected('RAIL_BAD_CHARGES', 'a store', 'an array of charges', charges)
  const { length } = charges
  if (length === 1) return checkedCharge(charges[0]).alone
  return Array.from({ length }, (_, index) => checkedCharge(charges[index]))
}

/** The array of limits that was checked last, frozen since, and what stands for it: most charges have the same. */
let latest: readonly Limit[] | undefined
let latestOwn: readonly Limit[] = []

function checkedCharge(charge: unknown): CheckedCharge {
  if (typeof charge !== 'object' || charge === null) {
    throw unexpected('RAIL_BAD_CHARGES', 'a charge', '{ key, limits, cost, scope? }', charge)
  }
  const { key, limits, cost, scope } = charge as Charge
  checkKey(key, 'key of a charge')
  checkCost(cost, 'cost of a charge')
  if (scope !== undefined) checkOption('scope of a charge', scope, 'a string', isString)
  const own = limits === latest ? latestOwn : checkedLimits(limits, 'limits of a charge')
  latest = limits
  latestOwn = own
  // Only a store that wraps another can have changed a limiter's own: it was checked again, and needs no copy.
  return own === limits && CheckedCharge.has(charge) ? charge : new CheckedCharge(scope, key, own, cost)
}

/** Checks the moment that a store is called with. @throws RailError `RAIL_BAD_CLOCK` */
export function checkNow(now: unknown): void {
  if (!Number.isSafeInteger(now)) throw unexpected('RAIL_BAD_CLOCK', 'now', 'whole milliseconds', now)
}
