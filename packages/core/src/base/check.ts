import { RailError, shown } from './errors.js'

/**
 * Refuses an option that is not known, with the nearest name as a suggestion and the list of all.
 *
 * @param ifObject What to say of an object that is of a class, and so no options at all.
 * @throws RailError `RAIL_UNKNOWN_OPTION`, `RAIL_BAD_OPTION` for what is no object of options
 */
export function checkOptionNames(options: unknown, known: readonly string[], where: string, ifObject?: string): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new RailError(
      'RAIL_BAD_OPTION',
      `${where} takes an object of options, got ${shown(options)}. Its options: ${known.join(', ')}.`,
    )
  }
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue
    if (ifObject !== undefined && !isPlain(options)) {
      throw new RailError('RAIL_BAD_OPTION', `${where} takes an object of options, got another object. ${ifObject}`)
    }
    throw new RailError(
      'RAIL_UNKNOWN_OPTION',
      `${where} has no option "${name}".${suggestionFor(name, known)} Its options: ${known.join(', ')}.`,
    )
  }
}

function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** ` Did you mean "…"?` with the known name that is nearest to a mistyped one; `''` where none is near. */
export function suggestionFor(name: string, known: readonly string[]): string {
  const nearest = known
    .map((other) => ({ other, edits: editsBetween(name, other) }))
    .sort((a, b) => a.edits - b.edits)[0]
  return nearest !== undefined && nearest.edits <= 3 ? ` Did you mean "${nearest.other}"?` : ''
}

/**
 * Checks one option by a predicate; `undefined` always passes.
 *
 * @param expected What it is, as the sentence goes on after "The option … is".
 * @param advice What to do where it is something else, as a sentence. @default 'Give one, or leave it out.'
 * @throws RailError `RAIL_BAD_OPTION`
 */
export function checkOption(
  name: string,
  value: unknown,
  expected: string,
  passes: (value: never) => boolean,
  advice = 'Give one, or leave it out.',
): void {
  if (value === undefined || passes(value as never)) return
  throw new RailError('RAIL_BAD_OPTION', `The option ${name} is ${expected}, got ${shown(value)}. ${advice}`)
}

/**
 * Checks what a function is given.
 *
 * @param passes Whether it is as expected.
 * @param expected Who takes what, as the beginning of a sentence.
 * @param advice What to do, as a sentence.
 * @throws RailError `RAIL_BAD_OPTION`
 */
export function checkGiven(passes: boolean, given: unknown, expected: string, advice: string): void {
  if (!passes) throw new RailError('RAIL_BAD_OPTION', `${expected}, got ${shown(given)}. ${advice}`)
}

/** What an option is checked by: its name, and what {@link checkOption} takes beside the value. */
export type Check<Name> = readonly [
  name: Name,
  expected: string,
  passes: (value: unknown) => boolean,
  advice?: string | undefined,
]

/** What to do about a value that should be a number and is none; `undefined` where it is one. */
export function adviceOnNumber(value: unknown): string | undefined {
  if (typeof value !== 'number') return 'Give a number: Number() makes one of a text.'
  return Number.isNaN(value) ? 'See where it comes from: Number() makes NaN of undefined and of words.' : undefined
}

/** Whether a value is a whole number from `least` up. */
export const isWholeFrom =
  (least: number) =>
  (value: unknown): boolean =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= least

/** The edit distance of V. I. Levenshtein (1966), ignoring case. */
function editsBetween(a: string, b: string): number {
  const [from, to] = [a.toLowerCase(), b.toLowerCase()]
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[to.length] as number
}
