/*
 * Equal limits and equal arrays of them are the same objects, as far as they are remembered. Stores and headers know an
 * array of limits by its identity, so a function may make new limits for each request.
 */

/** A limit, and what it was made of besides its name and its tokens. */
interface Made {
  readonly per: unknown
  readonly burst: unknown
  readonly counts: unknown
  readonly limit: object
}

/** Limits by their name and their tokens, made at the first use. Two maps, because to make one key of both takes longer. */
let limits: Map<unknown, Map<unknown, Made[]>> | undefined
let kept = 0
const MOST_LIMITS = 256
const NONE: readonly Made[] = []

/** The limit of an equal rule that was made before, else the one that `make` checks and makes. */
export function interned<Limit extends object>(
  name: unknown,
  tokens: unknown,
  per: unknown,
  burst: unknown,
  counts: unknown,
  make: () => Limit,
): Limit {
  const known = limits?.get(name)?.get(tokens) ?? NONE
  for (let index = 0; index < known.length; index++) {
    const made = known[index] as Made
    if (made.per === per && made.burst === burst && made.counts === counts) return made.limit as Limit
  }
  const limit = make()
  if (limits === undefined || kept >= MOST_LIMITS) {
    limits = new Map()
    kept = 0
  }
  const ofName = limits.get(name) ?? new Map<unknown, Made[]>()
  limits.set(name, ofName)
  ofName.set(tokens, [...(ofName.get(tokens) ?? NONE), { per, burst, counts, limit }])
  kept++
  return limit
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
