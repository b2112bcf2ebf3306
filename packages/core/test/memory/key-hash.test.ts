import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type HashSeed, hashOf, randomSeed, wordsOf } from '../../src/memory/key-hash.js'

const SEED: HashSeed = { low: 0x0123_4567, high: 0x89ab_cdef | 0 }

/** The words that a string is hashed as, without optimisation. */
function wordsOfString(text: string): number[] {
  const codes = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))
  const wide = codes.some((code) => code > 0xff)
  const [each, bits] = wide ? [2, 16] : [4, 8]
  const last = codes.length - (codes.length % each)
  const word = (from: number, to: number) =>
    codes.slice(from, to).reduce((sum, code, place) => sum | (code << (bits * place)), 0)
  const whole = Array.from({ length: last / each }, (_, index) => word(index * each, (index + 1) * each))
  return [...whole, word(last, codes.length) | (wide ? 1 << 24 : 0) | (codes.length << 25)]
}

/** HalfSipHash-1-3 of 32-bit words, as the paper has it: one round for each word, three to finish. */
function halfSipHash(words: readonly number[], { low, high }: HashSeed): number {
  const v: [number, number, number, number] = [low, high, 0x6c796765 ^ low, 0x74656462 ^ high]
  const rotated = (value: number, by: number) => (value << by) | (value >>> (32 - by))
  const round = () => {
    v[0] = (v[0] + v[1]) | 0
    v[1] = rotated(v[1], 5) ^ v[0]
    v[0] = rotated(v[0], 16)
    v[2] = (v[2] + v[3]) | 0
    v[3] = rotated(v[3], 8) ^ v[2]
    v[0] = (v[0] + v[3]) | 0
    v[3] = rotated(v[3], 7) ^ v[0]
    v[2] = (v[2] + v[1]) | 0
    v[1] = rotated(v[1], 13) ^ v[2]
    v[2] = rotated(v[2], 16)
  }
  for (const word of words) {
    v[3] ^= word
    round()
    v[0] ^= word
  }
  v[2] ^= 0xff
  for (let finish = 0; finish < 3; finish++) round()
  return v[1] ^ v[3]
}

const byte = fc.integer({ min: 0, max: 0xff }).map((code) => String.fromCharCode(code))
const strings = fc.oneof(
  fc.string({ unit: byte, maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ maxLength: 60 }),
)

describe('the hash of a key', () => {
  test('is HalfSipHash-1-3 of its words, and leaves form and words behind (seed 1)', () => {
    fc.assert(
      fc.property(strings, fc.integer(), fc.integer(), fc.integer({ min: 1, max: 40 }), (text, low, high, room) => {
        const words = new Int32Array(room)
        const expected = wordsOfString(text)
        expect(hashOf(text, { low, high }, words)).toBe(halfSipHash(expected, { low, high }))
        const wide = [...text].some((character) => (character.codePointAt(0) as number) > 0xff)
        expect(words[0]).toBe(text.length * 2 + (wide ? 1 : 0))
        expect([...words.subarray(1, expected.length + 1)]).toEqual(expected.slice(0, room - 1))
        expect(wordsOf(words[0] as number)).toBe(expected.length + 1)
      }),
      { seed: 1, numRuns: 2_000 },
    )
  })

  test('sees every character, at any place and of any width', () => {
    const words = new Int32Array(1)
    const hashes = new Set<number>()
    let count = 0
    for (const character of ['a', 'b', '\0', 'ÿ', 'Ā', 'ā', '\u4100', '\u0041', '日', '\ud83d', '\ude00', '\uffff']) {
      for (let length = 1; length <= 21; length++) {
        for (let place = 0; place < length; place++) {
          hashes.add(hashOf(`${'x'.repeat(place)}${character}${'x'.repeat(length - place - 1)}`, SEED, words))
          count++
        }
      }
    }
    expect(hashes.size).toBe(count)
  })

  test('differs for strings that have the same bytes', () => {
    const words = new Int32Array(12)
    const hashed = (text: string) => [hashOf(text, SEED, words), ...words]
    const same = ['ab', '\u6261', 'a\0b\0', 'ab\0\0', '\u6261\0', 'a', 'a\0', 'a\0\0', '', '\0']
    expect(new Set(same.map((text) => JSON.stringify(hashed(text)))).size).toBe(same.length)
    expect(new Set(same.map((text) => hashOf(text, SEED, words))).size).toBe(same.length)
  })

  test('is another under another seed, and spreads keys that count up', () => {
    const words = new Int32Array(1)
    const buckets = new Array<number>(1_024).fill(0)
    for (let index = 0; index < 100_000; index++) {
      const hash = hashOf(`customer-${index}`, SEED, words)
      buckets[hash & 1_023] = (buckets[hash & 1_023] as number) + 1
    }
    // 97.7 on average; even among 1,024 of them chance gives no value near these bounds.
    expect(Math.max(...buckets)).toBeLessThan(150)
    expect(Math.min(...buckets)).toBeGreaterThan(55)
    expect(hashOf('acme', SEED, words)).not.toBe(hashOf('acme', { ...SEED, low: SEED.low + 1 }, words))
    expect(hashOf('acme', SEED, words)).not.toBe(hashOf('acme', { ...SEED, high: SEED.high + 1 }, words))
  })

  test('has a seed drawn at random for each table', () => {
    const seeds = Array.from({ length: 20 }, () => JSON.stringify(randomSeed()))
    expect(new Set(seeds).size).toBe(20)
  })
})
