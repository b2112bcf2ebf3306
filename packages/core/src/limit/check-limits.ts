import { advice } from '../base/advice.js'
import { railError, unexpected } from '../base/errors.js'
import { bucketId, type Charge } from './charge.js'
import { checkedBefore, rememberChecked } from './interned.js'
import { isMade, type Limit, limitOf, limit as makeLimit } from './limit.js'
import { sentName } from './sent-name.js'

/**
 * Checks limits and returns a frozen copy: a Proxy may return others when it is read again. An array that was checked
 * before, or an equal one, is not checked again.
 *
 * @throws RailError `RAIL_NO_LIMITS`, `RAIL_BAD_LIMITS`, `RAIL_DUPLICATE_NAME`
 */
export function checkedLimits(limits: readonly Limit[], subject: string): readonly Limit[] {
  const known = checkedBefore(limits) ?? (isObject(limits) ? checked.get(limits) : undefined)
  if (known !== undefined) return known
  if (limits === undefined) {
    const toDo = advice('Check that the plan exists; [] means "no limit".')
    throw unexpected('RAIL_NO_LIMITS', subject, ARRAY, limits, toDo)
  }
  if (!Array.isArray(limits)) {
    throw unexpected('RAIL_BAD_LIMITS', subject, ARRAY, limits, advice('Write [perSecond(10)], or [] for no limit.'))
  }
  // By index, once: an iterator, a getter or a Proxy may return another limit each time.
  const own: Limit[] = []
  for (let index = 0; index < limits.length; index++) own.push(checkedLimit(limits[index], `${subject}[${index}]`))
  checkNames([{ key: '', limits: own, cost: 0 }])
  // The given array is frozen too: it is known by what it has now.
  for (const array of [limits, own]) checked.set(Object.freeze(array), own)
  rememberChecked(own)
  return own
}

/** {@link checkedLimits} of an option: the given array is always frozen, since a change of it would do nothing. */
export function checkedForGood(limits: readonly Limit[], subject: string): readonly Limit[] {
  const own = checkedLimits(limits, subject)
  Object.freeze(limits)
  return own
}

/** {@link checkedLimits} of what may be anything. */
export function checkLimits(limits: unknown, subject: string): asserts limits is readonly Limit[] {
  checkedLimits(limits as readonly Limit[], subject)
}

/** The limits that stand for an array that was checked, by the array. */
const checked = new WeakMap<object, readonly Limit[]>()

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

/** What to do about anything but a limit. */
export const MAKE_LIMITS = 'Make limits with limit() or perSecond().'

/**
 * A limit as {@link makeLimit} makes it, which cannot change any more: the given one, frozen, or a copy. `undefined` for
 * anything else. `instanceof` would fail where a program has two copies of core.
 */
export function ownLimit(value: unknown): Limit | undefined {
  if (!isObject(value)) return undefined
  if (isMade(value)) return value as Limit
  const copy = copyOf(value as Limit)
  // Frozen all the same: a change of it would do nothing.
  if (copy !== undefined) Object.freeze(value)
  return copy
}

function checkedLimit(value: unknown, subject: string): Limit {
  const own = ownLimit(value)
  if (own === undefined) throw unexpected('RAIL_BAD_LIMITS', subject, 'a limit', value, advice(MAKE_LIMITS))
  return own
}

/** The same limit, each of its members read once; `undefined` where they are not those of a limit. */
function copyOf(value: Limit): Limit | undefined {
  const { kind, name, tokens, windowMs, burst, wholeBurst, counts, grain, flow, size } = value
  if (kind !== 'token-bucket' || !Number.isSafeInteger(wholeBurst) || wholeBurst < burst) return undefined
  try {
    const same = makeLimit({ name, tokens, per: windowMs, burst, counts })
    if (grain !== same.grain || flow !== same.flow || size !== same.size) return undefined
    return wholeBurst === burst ? same : limitOf({ name, tokens, windowMs, burst, wholeBurst, counts })
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
