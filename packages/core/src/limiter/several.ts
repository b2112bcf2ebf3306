import { advice } from '../base/advice.js'
import { RailError, unexpected } from '../base/errors.js'
import { chain, type MaybePromise } from '../base/maybe-promise.js'
import { suggestionFor } from '../base/suggestion.js'
import { type Charge, checkCost, checkKey } from '../limit/charge.js'
import { checkedLimits, checkNames } from '../limit/check-limits.js'
import { CheckedCharge } from '../limit/checked-charge.js'
import type { Limit } from '../limit/limit.js'
import { costOf, scopeWithin } from './charging.js'
import type { Charging } from './options.js'

/**
 * Several charges for one request, for the option `charges`: for instance an OAuth client and one of its users. All limits
 * allow the request, or none is charged. A charge's scope is within the limiter's (`api.users`). `[]`: not counted.
 *
 * @example
 * rateLimit({
 *   charges: several((request) => [
 *     { key: `client:${request.client}`, limits: [perMinute(300)], cost: 1 },
 *     { key: `user:${request.user}`, limits: [perMinute(60, { name: 'user' })], cost: 1 },
 *   ]),
 * })
 *
 * @throws RailError `RAIL_BAD_OPTION` for anything but a function
 */
export function several<Request>(charges: (request: Request) => MaybePromise<readonly Charge[]>): Charging<Request> {
  if (typeof charges !== 'function') throw unexpected('RAIL_BAD_OPTION', 'several()', 'a function', charges)
  return {
    chargesFor: (request, route, before, scope) =>
      chain(before.length > 0 ? before : charges(request), (found) => {
        const all = found === before ? before : checked(found, scope)
        if (route.cost === undefined) return all
        return chain(costOf(request, route.cost), (cost) =>
          all.map(({ scope, key, limits }) => new CheckedCharge(scope, key, limits, cost)),
        )
      }),
  }
}

/** The charges in the limiter's scope, copied: the user's may be of a class, or change before settle. */
function checked(charges: unknown, scope: string): readonly Charge[] {
  if (!Array.isArray(charges)) {
    const toDo = advice('Return [{ key, limits, cost }], or [] for a request that is not limited.')
    throw unexpected('RAIL_BAD_CHARGES', 'charges of several()', 'an array', charges, toDo)
  }
  // By index: an iterator of its own may return others.
  const own = Array.from({ length: charges.length }, (_, index) => checkedCharge(charges[index], scope))
  checkNames(own)
  return own
}

/** The properties of a charge, each read once: what is checked is what is charged. */
function checkedCharge(charge: unknown, within: string): CheckedCharge {
  if (typeof charge !== 'object' || charge === null) {
    throw unexpected('RAIL_BAD_CHARGES', 'a charge', '{ key, limits, cost, scope? }', charge)
  }
  const { key, limits, cost, scope } = charge as Record<string, unknown>
  checkKey(key, 'key of a charge')
  checkCost(cost, 'cost of a charge')
  const own = checkedLimits(limits as readonly Limit[], 'limits of a charge')
  if (scope !== undefined && typeof scope !== 'string') {
    throw unexpected('RAIL_BAD_CHARGES', 'scope of a charge', 'a string', scope)
  }
  // A mistyped scope would be ignored.
  for (const name in charge) {
    if (CHARGE_NAMES.includes(name) || !Object.hasOwn(charge, name)) continue
    const hint = suggestionFor(name, CHARGE_NAMES)
    throw new RailError('RAIL_BAD_CHARGES', `${name}: not a property of a charge.${hint}`)
  }
  return new CheckedCharge(scopeWithin(within, scope), key, own, cost)
}

const CHARGE_NAMES = ['key', 'limits', 'cost', 'scope']
