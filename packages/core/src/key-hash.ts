/*
 * HalfSipHash-1-3 (J.-P. Aumasson, D. J. Bernstein, "SipHash: a fast short-input PRF", 2012; the 32-bit variant is in
 * their reference code): a keyed hash, so that nobody who chooses keys can choose where they land. The key is drawn for
 * each store. A collision costs a comparison, never a mistake: keys are kept and compared.
 */

/** Two 32-bit words that a store's hashes are keyed with. */
export interface HashSeed {
  readonly low: number
  readonly high: number
}

// Core is compiled without DOM or Node types; every runtime that Rail runs on has this.
declare const crypto: { getRandomValues(array: Uint32Array): Uint32Array }

/** A new random seed. Edge runtimes forbid randomness outside a request: call it on the first take, not before. */
export function randomSeed(): HashSeed {
  const [low = 0, high = 0] = crypto.getRandomValues(new Uint32Array(2))
  return { low: low | 0, high: high | 0 }
}

/** The hash of `text`, a 32-bit integer. */
export function hashOf(text: string, seed: HashSeed): number {
  const length = text.length
  let v0 = seed.low
  let v1 = seed.high
  let v2 = 0x6c796765 ^ v0
  let v3 = 0x74656462 ^ v1
  let index = 0
  // One word takes four characters while they fit a byte each, two otherwise. `wide` tells the two apart at the end.
  for (; index + 4 <= length; index += 4) {
    const a = text.charCodeAt(index)
    const b = text.charCodeAt(index + 1)
    const c = text.charCodeAt(index + 2)
    const d = text.charCodeAt(index + 3)
    if ((a | b | c | d) > 0xff) break
    const word = a | (b << 8) | (c << 16) | (d << 24)
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
  const wide = index
  let rounds = 3
  let word = 0
  // The rest, two characters a word, then the length, then three rounds to finish.
  for (;;) {
    if (index < length) {
      word = text.charCodeAt(index) | (index + 1 < length ? text.charCodeAt(index + 1) << 16 : 0)
      index += 2
    } else if (index !== length + 4) {
      word = (length << 16) ^ wide
      index = length + 4
    } else {
      if (rounds === 3) v2 ^= 0xff
      if (rounds === 0) return v1 ^ v3
      rounds--
      word = 0
    }
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
}
