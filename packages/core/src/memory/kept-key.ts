import { type HashSeed, hashOf, randomSeed } from './key-hash.js'

/** The longest key that is kept as it is, in characters. */
const LONGEST_KEPT = 256

/**
 * Makes the names under which a store keeps its keys: a key itself, or 128 bits of hash for a long one, so that a few long
 * keys do not drive all others out. The hash is keyed at random for each store: nobody can choose two keys with one name.
 */
export function createKeptKeys(): (key: string) => string {
  let seeds: readonly HashSeed[] | undefined
  const form = new Int32Array(1)
  return (key) => {
    if (key.length <= LONGEST_KEPT) return key
    seeds ??= Array.from({ length: 4 }, randomSeed)
    return `${key.length} ${seeds.map((seed) => hashOf(key, seed, form) >>> 0).join(' ')}`
  }
}
