import { RailError, shown } from '../base/errors.js'
import { bucketId, type Charge } from './charge.js'
import { type Limit, limit as makeLimit } from './limit.js'
import { sentName } from './sent-name.js'

/**
 * Checks what a source or a function of the user's returned, and freezes it: a set of limits that has been charged must
 * not change. An array that has been checked once is not checked again.
 *
 * @throws RailError `RAIL_NO_LIMITS`, `RAIL_BAD_LIMITS`, `RAIL_DUPLICATE_NAME`
 */
export function checkLimits(limits: unknown, where: string): asserts limits is readonly Limit[] {
  if (typeof limits === 'object' && limits !== null && checked.has(limits)) return
  if (limits === undefined) {
    throw new RailError(
      'RAIL_NO_LIMITS',
      `${where} came to undefined. Return an array of limits; [] says that there is no limit. (A plan's name mistyped?)`,
    )
  }
  if (!Array.isArray(limits)) {
    const came = isLimit(limits) ? 'one limit' : shown(limits)
    throw new RailError(
      'RAIL_BAD_LIMITS',
      `${where} is an array of limits, got ${came}. Write [perSecond(10)], or [] for no limit.`,
    )
  }
  for (const limit of limits) if (!isLimit(limit)) throw notALimit(limit, where)
  checkNames([{ key: '', limits, cost: 0 }])
  // Those of another copy of core, or read from JSON, are not frozen yet.
  for (const limit of limits) Object.freeze(limit)
  checked.add(Object.freeze(limits))
}

/**
 * Names are unique, ignoring case, over all limits of a request.
 *
 * @param mayMeet Whether two of the charges may mean the same bucket. @default whether there are several
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
        throw new RailError(
          'RAIL_DUPLICATE_NAME',
          `Two limits of one request are named "${name}" (case does not count). Give one another name, or its charge a scope.`,
        )
      }
      buckets.set(name.toLowerCase(), bucket)
    }
  }
}

const checked = new WeakSet<object>()

/** What to do about what is no limit. */
export const MAKE_LIMITS = 'Make each by limit() or perSecond().'

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

function notALimit(value: unknown, where: string): RailError {
  return new RailError('RAIL_BAD_LIMITS', `${where} holds limits, but has ${shown(value)} in it. ${MAKE_LIMITS}`)
}
