import { advice } from '../base/advice.js'
import { railError, unexpected } from '../base/errors.js'
import { bucketId, type Charge } from './charge.js'
import { checkedBefore, rememberChecked } from './interned.js'
import { type Limit, limit as makeLimit } from './limit.js'
import { sentName } from './sent-name.js'

/**
 * Checks what a source or a function of the user's returned, and freezes it: a set of limits must not change once it was
 * charged. An array that was checked before is not checked again.
 *
 * @throws RailError `RAIL_NO_LIMITS`, `RAIL_BAD_LIMITS`, `RAIL_DUPLICATE_NAME`
 */
export function checkLimits(limits: unknown, subject: string): asserts limits is readonly Limit[] {
  if (typeof limits === 'object' && limits !== null && checked.has(limits)) return
  if (limits === undefined) {
    const toDo = advice('Check that the plan exists; [] means "no limit".')
    throw unexpected('RAIL_NO_LIMITS', subject, ARRAY, limits, toDo)
  }
  if (!Array.isArray(limits)) {
    throw unexpected('RAIL_BAD_LIMITS', subject, ARRAY, limits, advice('Write [perSecond(10)], or [] for no limit.'))
  }
  for (const [index, limit] of limits.entries()) {
    if (isLimit(limit)) continue
    throw unexpected('RAIL_BAD_LIMITS', `${subject}[${index}]`, 'a limit', limit, advice(MAKE_LIMITS))
  }
  checkNames([{ key: '', limits, cost: 0 }])
  // Limits of another copy of core, or read from JSON, are not frozen yet.
  for (const limit of limits) Object.freeze(limit)
  checked.add(Object.freeze(limits))
  rememberChecked(limits)
}

/**
 * Limits, checked: an equal array that was checked before, if there is one.
 *
 * @throws as {@link checkLimits}
 */
export function checkedLimits(limits: readonly Limit[], subject: string): readonly Limit[] {
  const known = checkedBefore(limits)
  if (known === undefined) checkLimits(limits, subject)
  return known ?? limits
}

const ARRAY = 'an array of limits'

/**
 * Names are unique, ignoring case, over all limits of a request.
 *
 * @param mayMeet Whether two of the charges may have the same bucket. @default whether there are several
 * @throws RailError `RAIL_DUPLICATE_NAME`
 */
export function checkNames(charges: readonly Charge[], mayMeet = charges.length > 1): void {
  const buckets = new Map<string, string>()
  for (const charge of charges) {
    for (const limit of charge.limits) {
      const name = sentName(charge.scope ?? '', limit)
      const bucket = bucketId(charge, limit)
      const other = buckets.get(name.toLowerCase())
      if (other !== undefined && (other !== bucket || !mayMeet)) {
        throw railError(
          'RAIL_DUPLICATE_NAME',
          `limits: two limits of one request are named "${name}", ignoring case`,
          advice('Give one another name, or its charge a scope.'),
        )
      }
      buckets.set(name.toLowerCase(), bucket)
    }
  }
}

const checked = new WeakSet<object>()

/** What to do about anything but a limit. */
export const MAKE_LIMITS = 'Make limits with limit() or perSecond().'

/** Whether something is a limit as {@link makeLimit} makes it; `instanceof` would fail where a program has two copies of core. */
export function isLimit(value: unknown): value is Limit {
  if (typeof value !== 'object' || value === null || (value as Limit).kind !== 'token-bucket') return false
  const { name, tokens, windowMs, burst, wholeBurst, counts, grain, flow, size } = value as Limit
  try {
    const same = makeLimit({ name, tokens, per: windowMs, burst, counts })
    return (
      grain === same.grain &&
      flow === same.flow &&
      size === same.size &&
      Number.isSafeInteger(wholeBurst) &&
      wholeBurst >= burst
    )
  } catch {
    return false
  }
}
