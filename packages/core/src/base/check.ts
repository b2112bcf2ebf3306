import { railError, unexpected } from './errors.js'
import { adviceOnName, replacementFor } from './suggestion.js'

/**
 * Checks that options are an object with known names only.
 *
 * @param where What takes the options, such as `rateLimit()`.
 * @param adviceOn What to do about an unknown name, as a sentence. @default the closest name, or all names
 * @throws RailError `RAIL_UNKNOWN_OPTION`, `RAIL_BAD_OPTION` for anything but an object
 */
export function checkOptionNames(
  options: unknown,
  known: readonly string[],
  where: string,
  adviceOn: (name: string, known: readonly string[], options: object) => string | undefined = adviceOnName,
): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw unexpected('RAIL_BAD_OPTION', where, 'an object of options', options)
  }
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue
    throw railError('RAIL_UNKNOWN_OPTION', `${name}: not an option of ${where}`, adviceOn(name, known, options))
  }
}

/**
 * Checks one option by a predicate; `undefined` always passes.
 *
 * @param expected What it should be: "a function", "a whole number from 1".
 * @param toDo What to do where it is something else, as a sentence.
 * @throws RailError `RAIL_BAD_OPTION`
 */
export function checkOption(
  name: string,
  value: unknown,
  expected: string,
  passes: (value: never) => boolean,
  toDo?: string,
): void {
  if (value === undefined || passes(value as never)) return
  throw unexpected('RAIL_BAD_OPTION', name, expected, value, replacementFor(value, toDo))
}

/**
 * Checks an argument of a function.
 *
 * @param subject The function, such as `headersFor()`.
 * @throws RailError `RAIL_BAD_OPTION`
 */
export function checkArgument(passes: boolean, subject: string, expected: string, given: unknown, toDo?: string): void {
  if (!passes) throw unexpected('RAIL_BAD_OPTION', subject, expected, given, toDo)
}

export const isFunction = (value: unknown): boolean => typeof value === 'function'
export const isString = (value: unknown): boolean => typeof value === 'string'
export const isBoolean = (value: unknown): boolean => typeof value === 'boolean'

/** Whether a value is a whole number from `least` up. */
export const isWholeFrom =
  (least: number) =>
  (value: unknown): boolean =>
    Number.isSafeInteger(value) && (value as number) >= least

/** A cost in options, and how to say so. */
export const COST = 'a whole number of tokens from 0, or a function'
export const isCost = (value: unknown): boolean => isFunction(value) || isWholeFrom(0)(value)
