import { createHash } from 'node:crypto'
import { type Charge, perSecond } from '@rail/core'
import { expect, test } from 'vitest'
import { heapBytes } from '../../core/test/heap.js'
import { RefusalCache } from '../src/refusal-cache.js'
import { askFor, type Reading } from '../src/take.js'

const limits = [perSecond(1)]
const charge = (key: string, more: Partial<Charge> = {}): Charge => ({ key, limits, cost: 1, ...more })
const refusal: Reading = { allowed: false, aheadMs: [0], owed: [1_000], redefined: [] }

function note(cache: RefusalCache, of: Charge, reading: Reading, askedAt = 0, readAt = askedAt): void {
  const ask = askFor([of], (scope, key) => ({ name: `${scope} ${key}`, tag: key }))
  cache.note(ask, reading, askedAt, readAt)
}

test('of refusals so many are remembered at most, the newest always', () => {
  for (const scope of ['', 'writes']) {
    const cache = new RefusalCache(100)
    const customer = (number: number): Charge => charge(`customer ${number}`, { scope })
    for (let number = 0; number < 5_000; number++) {
      note(cache, customer(number), refusal)
      expect(cache.look([customer(number)], 0)).toBeDefined()
    }
    const kept = Array.from({ length: 5_000 }, (_, number) => cache.look([customer(number)], 0) !== undefined)
    expect(kept.filter(Boolean).length).toBeLessThanOrEqual(100)
    expect(kept.slice(-20)).toEqual(Array(20).fill(true))
  }
})

test('what is remembered is small, also of keys that are long or cut from long headers', () => {
  const header = (number: number): string =>
    Buffer.from(`${number}`.padStart(40, 'k').padEnd(8_000, 'x')).toString('latin1')
  for (const keyOf of [header, (number: number) => header(number).slice(0, 40)]) {
    const cache = new RefusalCache(10_000)
    const empty = heapBytes()
    for (let number = 0; number < 4_000; number++) {
      for (const scope of ['', 'writes']) note(cache, charge(keyOf(number), { scope }), refusal)
    }
    expect(heapBytes() - empty).toBeLessThan(4_000_000)
    for (const scope of ['', 'writes']) {
      for (const number of [2_500, 3_999]) expect(cache.look([charge(keyOf(number), { scope })], 0)).toBeDefined()
      expect(cache.look([charge(`${keyOf(3_999)}x`, { scope })], 0)).toBeUndefined()
    }
  }
})

test('whether it is still refused is counted from the asking, the wait that is told from the answer', () => {
  const cache = new RefusalCache(100)
  const asked = charge('acme', { limits: [perSecond(2, { burst: 1 })] })
  // Asked at 0, answered 40 ms later; Redis read it somewhere between.
  note(cache, asked, { ...refusal, owed: [500] }, 0, 40)
  expect(cache.look([asked], 499)).toMatchObject({ allowed: false, retryAfterMs: 41 })
  expect(cache.look([asked], 500)).toBeUndefined()
})

test('what Redis’s clock is behind by passes before anything drains', () => {
  const cache = new RefusalCache(100)
  note(cache, charge('acme'), { ...refusal, aheadMs: [300] })
  expect([0, 200, 400].map((now) => cache.look([charge('acme')], now)?.retryAfterMs)).toEqual([1_300, 1_100, 900])
})

test('a scope and a key are never taken for another key', () => {
  const cache = new RefusalCache(100)
  note(cache, charge('b', { scope: 'a' }), refusal)
  for (const [scope, key] of [
    ['', '1:ab'],
    ['', 'ab'],
    ['ab', ''],
    ['', 'b'],
    ['a', 'bb'],
    ['aa', 'b'],
  ] as const) {
    expect(cache.look([charge(key, { scope })], 0)).toBeUndefined()
  }
  expect(cache.look([charge('b', { scope: 'a' })], 0)).toBeDefined()
})

test('a long key is never taken for another, nor for what stands for it', () => {
  const cache = new RefusalCache(100)
  const long = `${'x'.repeat(64)}\ud83d`
  note(cache, charge(long), refusal)
  expect(cache.look([charge(long)], 0)).toBeDefined()
  const hash = createHash('sha256').update(long, 'utf16le').digest('hex')
  for (const other of [hash, `${'x'.repeat(64)}\ude00`, 'x'.repeat(64)]) {
    expect(cache.look([charge(other)], 0)).toBeUndefined()
  }
})
