import { advice } from '../base/advice.js'
import { unexpected } from '../base/errors.js'
import type { Charge } from './charge.js'
import { fieldBytes, MOST_FIELD_BYTES } from './field-size.js'
import type { Limit } from './limit.js'

/** What is checked of a style: those without `RateLimit-Policy` send one limit, so any number of limits fits. */
interface Style {
  readonly writes: readonly string[]
}

/**
 * Checks limits that are the same for every request, by their scopes: arrays. Others are not checked.
 *
 * @throws RailError `RAIL_BAD_LIMITS` where clients could not read the two fields of the default style
 */
export function checkFieldSize(style: Style, parts: readonly (readonly [scope: string, limits: unknown])[]): void {
  if (!isLong(style)) return
  check(parts.reduce((sum, [scope, limits]) => sum + (Array.isArray(limits) ? fieldBytes(scope, limits) : 0), 0))
}

/**
 * Makes the check of the charges of one request, for limits that are known only then. It returns the charges, and throws as
 * {@link checkFieldSize}.
 *
 * @param isKnown Whether limits that are charged alone were checked before.
 */
export function fieldSizeCheck(style: Style, isKnown: boolean): (charges: readonly Charge[]) => readonly Charge[] {
  if (!isLong(style)) return (charges) => charges
  /** Limits that fit alone, with their scope: most requests have some of these. */
  const fitting = new WeakMap<readonly Limit[], string>()
  return (charges) => {
    const first = charges.length === 1 ? charges[0] : undefined
    if (first !== undefined && (isKnown || fitting.get(first.limits) === first.scope)) return charges
    check(charges.reduce((sum, { scope = '', limits }) => sum + fieldBytes(scope, limits), 0))
    if (first !== undefined) fitting.set(first.limits, first.scope ?? '')
    return charges
  }
}

function isLong({ writes }: Style): boolean {
  return writes.includes('RateLimit-Policy')
}

function check(bytes: number): void {
  if (bytes <= MOST_FIELD_BYTES) return
  const expected = `RateLimit-Policy and RateLimit of at most ${MOST_FIELD_BYTES} bytes`
  const toDo = advice('Use fewer limits or shorter names, or another header style.')
  throw unexpected('RAIL_BAD_LIMITS', 'limits', expected, bytes, toDo)
}
