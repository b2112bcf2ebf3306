import { type HashSeed, randomSeed } from './key-hash.js'

/** The longest key that is kept as it is, in characters. */
const LONGEST_KEPT = 256

/**
 * Makes the names under which a store keeps its keys: a key itself, or 128 bits of hash for a long one, so that a few long
 * keys do not drive all others out. The hash is keyed at random for each store: nobody can choose two keys with one name.
 */
export function createKeptKeys(): (key: string) => string {
  let seeds: readonly [HashSeed, HashSeed] | undefined
  return (key) => {
    if (key.length <= LONGEST_KEPT) return key
    seeds ??= [randomSeed(), randomSeed()]
    return `${key.length} ${longHash(key, seeds)}`
  }
}

/**
 * The whole state of HalfSipHash-1-3 (see key-hash.ts), in words of two characters each: four times 32 bits of a key would
 * be four passes over it. A caller chooses how long a key is, and waits for others while theirs is hashed.
 */
function longHash(key: string, [one, other]: readonly [HashSeed, HashSeed]): string {
  let [v0, v1, v2, v3] = [one.low, one.high, other.low, other.high]
  const words = Math.ceil(key.length / 2)
  for (let index = 0; index < words + 4; index++) {
    // After the words their number and, in three rounds more, nothing.
    let word = index === words ? key.length : 0
    if (index < words) word = key.charCodeAt(2 * index) | (key.charCodeAt(2 * index + 1) << 16)
    if (index === words + 1) v2 ^= 0xff
    v3 ^= word
    v0 = (v0 + v1) | 0
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
    v0 = (v0 << 16) | (v0 >>> 16)
    v2 = (v2 + v3) | 0
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
    v0 = (v0 + v3) | 0
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
    v2 = (v2 + v1) | 0
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
    v2 = (v2 << 16) | (v2 >>> 16)
    v0 ^= word
  }
  return [v0, v1, v2, v3].map((word) => word >>> 0).join(' ')
}
