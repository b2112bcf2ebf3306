/*
 * HalfSipHash-1-3 (J.-P. Aumasson, D. J. Bernstein, "SipHash: a fast short-input PRF", 2012; the 32-bit variant is in
 * their reference code): a keyed hash, so that a client that chooses keys cannot choose their places. Each store has a
 * random seed. Two keys with one hash cost a comparison and are not confused: keys are kept and compared.
 *
 * A string is hashed as 32-bit words of four characters each if all of them fit a byte, else (a wide string) of two. The
 * last word has the remaining characters, perhaps none, and the length in its upper bits, as the paper pads bytes.
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

/**
 * The hash of a string, a 32-bit integer. Writes to `words` the string's form (twice its length, and 1 more if it is wide)
 * and then the words that were hashed, as many as there is room for. Strings are equal when form and words are.
 */
export function hashOf(characters: string, seed: HashSeed, words: Int32Array, wide = false): number {
  const { length } = characters
  let v0 = seed.low
  let v1 = seed.high
  let v2 = 0x6c796765 ^ v0
  let v3 = 0x74656462 ^ v1
  let index = 0
  let place = 1
  // The round is written out twice. It is a third of a take, and a function would have to return four numbers.
  for (const step = wide ? 2 : 4; index + step <= length; index += step) {
    let word = characters.charCodeAt(index)
    if (wide) {
      word |= characters.charCodeAt(index + 1) << 16
    } else {
      const b = characters.charCodeAt(index + 1)
      const c = characters.charCodeAt(index + 2)
      const d = characters.charCodeAt(index + 3)
      if ((word | b | c | d) > 0xff) return hashOf(characters, seed, words, true)
      word |= (b << 8) | (c << 16) | (d << 24)
    }
    if (place < words.length) words[place++] = word
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
  let word = (length << 25) | (wide ? 1 << 24 : 0)
  for (let shift = 0; index < length; index++, shift += 8) {
    const code = characters.charCodeAt(index)
    if (code > 0xff && !wide) return hashOf(characters, seed, words, true)
    word |= code << shift
  }
  if (place < words.length) words[place] = word
  words[0] = (length << 1) | (wide ? 1 : 0)
  for (let round = 0; round < 4; round++) {
    if (round === 1) v2 ^= 0xff
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
    word = 0
  }
  return v1 ^ v3
}

/** How many words, its form included, {@link hashOf} makes of a string of this form. */
export function wordsOf(form: number): number {
  const length = form >>> 1
  return 2 + ((form & 1) === 0 ? length >>> 2 : length >>> 1)
}
