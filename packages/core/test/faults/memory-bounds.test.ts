import { describe, expect, test } from 'vitest'
import { type Charge, type Limit, limit, perMinute, perSecond } from '../../src/index.js'
import { MemoryStore as Table } from '../../src/memory/memory-store.js'
import { MemoryStore as Small } from '../../src/memory/small-store.js'
import { heapBytes } from '../heap.js'

const ten = perSecond(1, { burst: 10 })
const charge = (key: string, cost = 1, limits: readonly Limit[] = [ten]): readonly Charge[] => [{ key, limits, cost }]

describe.each([
  ['the table', Table],
  ['the small store', Small],
])('memory of %s is bounded, whoever comes', (_, MemoryStore) => {
  test('1,000,000 distinct keys on a store of 40,000', () => {
    const limits = [perSecond(10), perMinute(300)]
    const store = new MemoryStore()
    const visit = (from: number, to: number) => {
      for (let key = from; key < to; key++) store.take(charge(`customer-${key}`, 1, limits), key)
    }
    visit(0, 100_000)
    const before = heapBytes()
    visit(100_000, 1_000_000)
    expect(store.size).toBe(40_000)
    expect(heapBytes() - before).toBeLessThan(2_000_000)
  })

  const cutFromHeader = (key: number, length: number): string =>
    Buffer.alloc(8_192, `${String(key).padStart(8, '0')}-`)
      .toString('latin1')
      .slice(9, 9 + length)

  test('40,000 keys cut from headers of 8 kB keep less than 10 MB', () => {
    // Kept as they are, they keep their headers: this is what is to be seen.
    const before = heapBytes()
    const kept = Array.from({ length: 1_000 }, (_, key) => cutFromHeader(key, 20))
    expect(heapBytes() - before).toBeGreaterThan(8_000_000)
    expect(kept).toHaveLength(1_000)
    for (const length of [20, 60]) {
      const empty = heapBytes()
      const store = new MemoryStore()
      for (let key = 0; key < 40_000; key++) store.take(charge(cutFromHeader(key, length)), 0)
      expect(store.size).toBe(40_000)
      expect(heapBytes() - empty, `${length} characters`).toBeLessThan(10_000_000)
      expect(store.take(charge(cutFromHeader(39_999, length)), 0).limits[0]?.remaining).toBe(8)
    }
  })

  test('10,000 scopes cut from headers of 8 kB keep no header', () => {
    const scoped = (scope: string): readonly Charge[] => [{ key: 'k', scope, limits: [ten], cost: 10 }]
    const empty = heapBytes()
    const large = new MemoryStore()
    for (let scope = 0; scope < 10_000; scope++) large.take(scoped(cutFromHeader(scope, 20)), 0)
    expect(large.size).toBe(10_000)
    expect(heapBytes() - empty).toBeLessThan(15_000_000)
  })

  test('60,000 customers, each with limits of their own, on a store of 1,000', () => {
    const store = new MemoryStore({ maxKeys: 1_000 })
    const visit = (from: number, to: number) => {
      for (let key = from; key < to; key++) {
        const own = Array.from({ length: 1 + (key % 10) }, (_, place) =>
          limit({ name: `l${key}_${place}`, tokens: 1 + key, per: '1m' }),
        )
        store.take(charge(`customer ${key}`, 1, own), 0)
      }
    }
    visit(0, 20_000)
    const before = heapBytes()
    visit(20_000, 60_000)
    expect(store.size).toBe(1_000)
    expect(heapBytes() - before).toBeLessThan(2_000_000)
  })

  test('one key whose limits are others each time', () => {
    const store = new MemoryStore({ maxKeys: 100 })
    const visit = (from: number, to: number) => {
      for (let round = from; round < to; round++)
        store.take(charge('customer', 1, [limit({ name: `l${round}`, tokens: 5, per: 1 })]), round * 10)
    }
    visit(0, 50_000)
    const before = heapBytes()
    visit(50_000, 100_000)
    expect(store.size).toBe(1)
    expect(heapBytes() - before).toBeLessThan(2_000_000)
  })
})
