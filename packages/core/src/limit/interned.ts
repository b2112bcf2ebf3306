/*
 * Equal limits and equal arrays of them are the same objects, as far as they are remembered. Stores and headers know an
 * array of limits by its identity, so a function may make new limits for each request.
 */

/** What a limit is made of, before it is checked. */
export interface Rule {
  readonly name: unknown
  readonly tokens: unknown
  readonly per: unknown
  readonly burst: unknown
  readonly counts: string
}

/** Limits by their definitions, made at the first use. */
let limits: Map<string, unknown> | undefined
const MOST_LIMITS = 256

/** The limit of an equal rule that was made before, else the one that `make` checks and makes. */
export function interned<Limit extends object>(rule: Rule, make: () => Limit): Limit {
  const id = idOf(rule)
  const known = id === undefined ? undefined : limits?.get(id)
  if (known !== undefined) return known as Limit
  const made = make()
  if (limits === undefined || limits.size >= MOST_LIMITS) limits = new Map()
  if (id !== undefined) limits.set(id, made)
  return made
}

function idOf({ name, tokens, per, burst, counts }: Rule): string | undefined {
  const isPlain =
    typeof name === 'string' &&
    typeof tokens === 'number' &&
    typeof burst === 'number' &&
    (typeof per === 'number' || typeof per === 'string')
  return isPlain ? `${tokens} ${burst} ${typeof per} ${counts} ${per} ${name}` : undefined
}

/** The latest array of limits that was checked, by the first of them. Made at the first use. */
let arrays: WeakMap<object, readonly unknown[]> | undefined

/** An array with the same limits that was checked before; `undefined` if there is none. */
export function checkedBefore<Limit extends object>(array: readonly Limit[]): readonly Limit[] | undefined {
  const known = Array.isArray(array) ? arrays?.get(array[0] as Limit) : undefined
  if (known === undefined || known === array) return known as readonly Limit[] | undefined
  if (known.length !== array.length) return undefined
  for (let index = 0; index < array.length; index++) if (known[index] !== array[index]) return undefined
  return known as readonly Limit[]
}

/** Remembers an array of limits that was checked. */
export function rememberChecked(array: readonly object[]): void {
  arrays ??= new WeakMap()
  if (array.length > 0) arrays.set(array[0] as object, array)
}
