import { type Charge, perSecond } from '@rail/core'
import { expect, test } from 'vitest'
import { heapBytes } from '../../core/test/heap.js'
import { RefusalCache } from '../src/refusal-cache.js'
import type { Reading } from '../src/take.js'

const charge: Charge = { key: 'acme', limits: [perSecond(1)], cost: 1 }
const refusal: Reading = { allowed: false, isForeign: false, aheadMs: [0], owed: [1_000] }

test('a full cache forgets, and always has the newest refusal', () => {
  const cache = new RefusalCache(100)
  const chargeOf = (number: number): Charge => ({ ...charge, key: `customer ${number}` })
  const found = (number: number) => cache.find(chargeOf(number), 0) !== undefined
  for (let number = 0; number < 5_000; number++) {
    cache.add(chargeOf(number), refusal, 0, 0)
    expect(found(number)).toBe(true)
  }
  const kept = Array.from({ length: 5_000 }, (_, number) => found(number))
  expect(kept.filter(Boolean).length).toBeLessThanOrEqual(100)
})

test('a refusal is small, also of a key that is long or cut from a long header', () => {
  const header = (number: number): string =>
    Buffer.from(`${number}`.padStart(40, 'k').padEnd(8_000, 'x')).toString('latin1')
  for (const keyOf of [header, (number: number) => header(number).slice(0, 40)]) {
    const cache = new RefusalCache(10_000)
    const chargeOf = (number: number, scope: string): Charge => ({ ...charge, key: keyOf(number), scope })
    const empty = heapBytes()
    for (let number = 0; number < 4_000; number++) {
      for (const scope of ['', 'writes']) cache.add(chargeOf(number, scope), refusal, 0, 0)
    }
    expect(heapBytes() - empty).toBeLessThan(4_000_000)
    expect(cache.find(chargeOf(2_500, 'writes'), 0)).toBeDefined()
  }
})

test('the refusal counts from the sending, the wait from the reply', () => {
  const cache = new RefusalCache(100)
  const half: Charge = { ...charge, limits: [perSecond(2, { burst: 1 })] }
  // Sent at 0, answered 40 ms later. Redis read the bucket somewhere between.
  cache.add(half, { ...refusal, owed: [500] }, 0, 40)
  expect(cache.find(half, 499)).toMatchObject({ allowed: false, retryAfterMs: 41 })
  expect(cache.find(half, 500)).toBeUndefined()
})

test('nothing drains before Redis’s clock has caught up', () => {
  const cache = new RefusalCache(100)
  cache.add(charge, { ...refusal, aheadMs: [300] }, 0, 0)
  expect([0, 200, 400].map((now) => cache.find(charge, now)?.retryAfterMs)).toEqual([1_300, 1_100, 900])
})

test('another key, and other limits of the same key, go to Redis', () => {
  const cache = new RefusalCache(100)
  cache.add(charge, refusal, 0, 0)
  expect(cache.find({ ...charge, limits: [perSecond(1)] }, 0)).toBeDefined()
  expect(cache.find({ ...charge, key: 'acm' }, 0)).toBeUndefined()
  expect(cache.find({ ...charge, limits: [perSecond(2)] }, 0)).toBeUndefined()
})

test('no scope and key is taken for another, whatever their text is', () => {
  const pairs = [
    ['', 'a\nb'],
    ['a', 'b'],
    ['a\nb', ''],
    ['', 'k'.repeat(64)],
    ['k'.repeat(63), 'k'],
  ] as const
  for (const [scope, key] of pairs) {
    const cache = new RefusalCache(100)
    cache.add({ ...charge, scope, key }, refusal, 0, 0)
    const found = pairs.filter(([scope, key]) => cache.find({ ...charge, scope, key }, 0) !== undefined)
    expect(found).toEqual([[scope, key]])
  }
})
