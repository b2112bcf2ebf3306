import { advice } from '../base/advice.js'
import { unexpected } from '../base/errors.js'
import { fieldBytes, MOST_FIELD_BYTES } from './field-size.js'
import type { Limit } from './limit.js'

/**
 * Checks limits that are the same for every request, by their scopes: arrays. Others are not checked.
 *
 * @param style Styles without `RateLimit-Policy` send one limit, so any number of limits fits.
 * @throws RailError `RAIL_BAD_LIMITS` where clients could not read the two fields of the default style
 */
export function checkFieldSize(
  style: { readonly writes: readonly string[] },
  parts: readonly (readonly [scope: string, limits: unknown])[],
): void {
  if (!style.writes.includes('RateLimit-Policy')) return
  const bytes = parts.reduce(
    (sum, [scope, limits]) => sum + (Array.isArray(limits) ? fieldBytes(scope, limits as readonly Limit[]) : 0),
    0,
  )
  if (bytes <= MOST_FIELD_BYTES) return
  const expected = `RateLimit-Policy and RateLimit of at most ${MOST_FIELD_BYTES} bytes`
  const toDo = advice('Use fewer limits or shorter names, or another header style.')
  throw unexpected('RAIL_BAD_LIMITS', 'limits', expected, bytes, toDo)
}
