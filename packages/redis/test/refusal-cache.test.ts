import { type Charge, perSecond } from '@rail/core'
import { expect, test } from 'vitest'
import { heapBytes } from '../../core/test/heap.js'
import { keyName } from '../src/key-name.js'
import { RefusalCache } from '../src/refusal-cache.js'
import type { Reading } from '../src/take.js'

const charge: Charge = { key: 'acme', limits: [perSecond(1)], cost: 1 }
const refusal: Reading = { allowed: false, aheadMs: [0], owed: [1_000] }

test('a full cache forgets, and always has the newest refusal', () => {
  const cache = new RefusalCache(100)
  const found = (number: number) => cache.find(`customer ${number}`, charge, 0) !== undefined
  for (let number = 0; number < 5_000; number++) {
    cache.add(`customer ${number}`, charge, refusal, 0, 0)
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
    const nameOf = (number: number, scope: string) => keyName('rail:', keyOf(number), scope, keyOf(number)).name
    const empty = heapBytes()
    for (let number = 0; number < 4_000; number++) {
      for (const scope of ['', 'writes']) cache.add(nameOf(number, scope), charge, refusal, 0, 0)
    }
    expect(heapBytes() - empty).toBeLessThan(4_000_000)
    expect(cache.find(nameOf(2_500, 'writes'), charge, 0)).toBeDefined()
  }
})

test('the refusal counts from the sending, the wait from the reply', () => {
  const cache = new RefusalCache(100)
  const half: Charge = { ...charge, limits: [perSecond(2, { burst: 1 })] }
  // Sent at 0, answered 40 ms later. Redis read the bucket somewhere between.
  cache.add('acme', half, { ...refusal, owed: [500] }, 0, 40)
  expect(cache.find('acme', half, 499)).toMatchObject({ allowed: false, retryAfterMs: 41 })
  expect(cache.find('acme', half, 500)).toBeUndefined()
})

test('nothing drains before Redis’s clock has caught up', () => {
  const cache = new RefusalCache(100)
  cache.add('acme', charge, { ...refusal, aheadMs: [300] }, 0, 0)
  expect([0, 200, 400].map((now) => cache.find('acme', charge, now)?.retryAfterMs)).toEqual([1_300, 1_100, 900])
})

test('another key, and other limits of the same key, go to Redis', () => {
  const cache = new RefusalCache(100)
  cache.add('acme', charge, refusal, 0, 0)
  expect(cache.find('acme', { ...charge, limits: [perSecond(1)] }, 0)).toBeDefined()
  expect(cache.find('acm', charge, 0)).toBeUndefined()
  expect(cache.find('acme', { ...charge, limits: [perSecond(2)] }, 0)).toBeUndefined()
})
