import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  type Charge,
  createLimiter,
  type Limit,
  limit,
  manualClock,
  perMinute,
  perSecond,
  type RailError,
} from '../../src/index.js'
import { MemoryStore as Table } from '../../src/memory/memory-store.js'
import { MemoryStore as Small } from '../../src/memory/small-store.js'
import { heapBytes } from '../heap.js'

const ten = perSecond(1, { burst: 10 })
const charge = (key: string, cost = 1, limits: readonly Limit[] = [ten]): readonly Charge[] => [{ key, limits, cost }]

describe.each([
  ['the table', Table],
  ['the small store', Small],
])('%s:', (name, MemoryStore) => {
  type MemoryStore = Table | Small
  const left = (store: MemoryStore, key: string, now: number) => store.peek(charge(key, 0), now).limits[0]?.remaining
  afterEach(() => {
    vi.restoreAllMocks()
  })

  describe('a full store that drops keys which owe tokens', () => {
    const reporting = () => {
      const errors: RailError[] = []
      const store = new MemoryStore({ maxKeys: 10, onError: (error) => errors.push(error as RailError) })
      const take = (keys: number, now: number) => {
        for (let key = 0; key < keys; key++) store.take(charge(`${now} ${key}`, 10), now)
      }
      return { store, take, reported: () => errors.map(({ count }) => count), errors }
    }

    test('reports them a second after the first, then once a minute, with their number and the age of the oldest', () => {
      const { store, take, reported, errors } = reporting()
      take(10, 0)
      take(5, 5_000)
      expect([store.dropped, reported()]).toEqual([5, []])
      take(2, 6_000)
      expect([store.dropped, reported()]).toEqual([7, [6]])
      take(3, 7_000)
      take(1, 65_999)
      expect([store.dropped, reported()]).toEqual([10, [6]])
      expect(errors[0]).toMatchObject({
        code: 'RAIL_STORE_FULL',
        message:
          'MemoryStore: full; 6 keys that owe tokens were dropped, unused for at most 6 s. Set maxKeys to the number of customers in your longest window.',
      })
    })

    test('reports the last ones with the next new key, though nothing is lost by it, and each of them once', () => {
      const { store, take, reported } = reporting()
      take(10, 0)
      take(1, 1)
      take(1, 1_001)
      take(3, 1_002)
      expect([store.dropped, reported()]).toEqual([5, [2]])
      // All are full again.
      take(1, 200_000)
      take(1, 300_000)
      expect([store.dropped, reported()]).toEqual([5, [2, 3]])
    })

    test('reports a hundred at once, and once in that minute', () => {
      const { store, take, reported } = reporting()
      take(10, 0)
      take(99, 1)
      expect([store.dropped, reported()]).toEqual([99, []])
      take(200, 2)
      expect([store.dropped, reported()]).toEqual([299, [100]])
      take(1, 60_001)
      expect([store.dropped, reported()]).toEqual([299, [100]])
      take(1, 60_002)
      expect([store.dropped, reported()]).toEqual([299, [100, 199]])
    })

    test('reports them when the clock has stepped back', () => {
      const { take, reported } = reporting()
      take(10, 100_000)
      take(2, 100_001)
      take(1, 99_000)
      expect(reported()).toEqual([3])
    })

    test('is reported by the limiter that it is of', () => {
      const errors: unknown[] = []
      const limiter = createLimiter({
        identify: (key: string) => key,
        limits: [limit({ name: 'a_day', tokens: 1, per: '1d' })],
        onError: (error) => errors.push(error),
        clock: manualClock(),
      })
      for (let key = 0; key < 40_200; key++) limiter.take(`k${key}`)
      expect(errors).toMatchObject([{ code: 'RAIL_STORE_FULL', count: 100 }])
    })

    test.each([1, 'x', null, {}])('has no onError of %j', (onError) => {
      expect(() => new MemoryStore({ onError: onError as never })).toThrow('onError: expected a function')
    })
  })

  describe('a full store', () => {
    /** A store of 10 keys, k0 the least recently used; each owes what `costs` says, and drains a token a second. */
    function filled(costs: readonly number[]) {
      const store = new MemoryStore({ maxKeys: 10 })
      for (const [index, cost] of costs.entries()) store.take(charge(`k${index}`, cost), 0)
      expect(store.size).toBe(10)
      return store
    }

    test('never has more keys than maxKeys', () => {
      const store = filled(Array(10).fill(10))
      for (let key = 0; key < 1_000; key++) {
        store.take(charge(`new ${key}`), 0)
        expect(store.size).toBe(10)
      }
    })

    test('drops the first of the 8 least recently used whose buckets are all full: nothing is lost', () => {
      const store = filled([10, 10, 10, 10, 10, 1, 1, 10, 10, 10])
      store.take(charge('new'), 2_000)
      expect(store.size).toBe(10)
      // k5 and k6 are full by now. k5 was dropped; k6 is the next.
      store.take(charge('newer'), 2_000)
      for (const key of ['k0', 'k1', 'k2', 'k3', 'k4', 'k7', 'k8', 'k9']) expect(left(store, key, 2_000), key).toBe(2)
      for (const key of ['new', 'newer']) expect(left(store, key, 2_000), key).toBe(9)
    })

    test('searches 8 only, so that no request waits: a full key beyond them stays, and the least recently used goes', () => {
      const store = filled([10, 10, 10, 10, 10, 10, 10, 10, 1, 10])
      store.take(charge('new'), 2_000)
      expect(left(store, 'k0', 2_000)).toBe(10)
      expect(left(store, 'k1', 2_000)).toBe(2)
      // k8 is the 8th now.
      store.take(charge('newer'), 2_000)
      for (const key of ['k1', 'k2', 'k7', 'k9']) expect(left(store, key, 2_000), key).toBe(2)
    })

    test('drops the least recently used where none of those is full', () => {
      const store = filled(Array(10).fill(10))
      store.take(charge('new'), 2_000)
      expect(left(store, 'k0', 2_000)).toBe(10)
      for (const key of ['k1', 'k2', 'k9']) expect(left(store, key, 2_000), key).toBe(2)
    })

    test('a key is full only when all its buckets are', () => {
      const store = new MemoryStore({ maxKeys: 2 })
      const slow = perMinute(1, { name: 'slow' })
      store.take(charge('two buckets', 1, [ten, slow]), 0)
      store.take(charge('one bucket', 2), 0)
      // A second later the first has one full bucket of two, and the other none: the least recently used goes.
      store.take(charge('new'), 1_000)
      expect(store.peek(charge('two buckets', 0, [slow]), 1_000).limits[0]?.remaining).toBe(1)
      expect(left(store, 'one bucket', 1_000)).toBe(9)
    })

    test('a take makes its key the most recent, a refused one too; a peek and a settle do not', () => {
      for (const [use, stays] of [
        [(store: MemoryStore) => store.take(charge('k0', 1), 1_000), true],
        [(store: MemoryStore) => store.take(charge('k0', 9), 0), true],
        [(store: MemoryStore) => store.take([...charge('k0', 1), ...charge('k9', 1)], 1_000), true],
        [(store: MemoryStore) => store.take([...charge('k0', 9), ...charge('k9', 9)], 0), true],
        [(store: MemoryStore) => store.take(charge('k0', 1, [perSecond(1, { burst: 11 })]), 0), true],
        [(store: MemoryStore) => store.peek([...charge('k0', 1), ...charge('k9', 1)], 1_000), false],
        [(store: MemoryStore) => store.peek(charge('k0', 1), 1_000), false],
        [(store: MemoryStore) => store.settle(charge('k0', 10), 11, 0), false],
      ] as const) {
        const store = filled(Array(10).fill(10))
        use(store)
        store.take(charge('new'), 1_000)
        expect(left(store, 'k0', 1_000) === 10).toBe(!stays)
        expect(left(store, 'k1', 1_000) === 10).toBe(stays)
      }
    })

    test('an attacker’s new keys do not push out a customer who keeps sending requests, refused or not', () => {
      const store = new MemoryStore({ maxKeys: 100 })
      store.take(charge('customer', 10), 0)
      for (let key = 0; key < 10_000; key++) {
        store.take(charge(`junk ${key}`), 0)
        if (key % 50 === 0) expect(store.take(charge('customer'), 0).allowed).toBe(false)
      }
    })

    test('several charges of one request may have more keys than the store', () => {
      const store = new MemoryStore({ maxKeys: 2 })
      const charges = ['a', 'b', 'c', 'd'].flatMap((key) => charge(key, 3))
      expect(store.take(charges, 0).allowed).toBe(true)
      expect(store.size).toBe(2)
      expect(store.take(charges, 0)).toMatchObject({ allowed: true })
    })
  })

  describe('what makes no key', () => {
    const settleRequests = (store: MemoryStore) =>
      store.settle(charge('new', 1, [perMinute(5, { counts: 'requests' })]), 9, 0)

    test.each([
      ['a refused take', (store: MemoryStore) => store.take(charge('new', 11), 0)],
      ['a cost of 0', (store: MemoryStore) => store.take(charge('new', 0), 0)],
      ['a peek', (store: MemoryStore) => store.peek(charge('new', 5), 0)],
      ['a settle that gives back', (store: MemoryStore) => store.settle(charge('new', 5), 1, 0)],
      ['a settle of limits that count requests', settleRequests],
      ['a settle that changes nothing', (store: MemoryStore) => store.settle(charge('new', 5), 5, 0)],
      ['a reset', (store: MemoryStore) => store.reset('new')],
      [
        'charges that are refused together',
        (store: MemoryStore) => store.take([...charge('new', 1), ...charge('newer', 11)], 0),
      ],
      ['no charges', (store: MemoryStore) => store.take([], 0)],
    ])('%s', (_, use) => {
      const store = new MemoryStore()
      use(store)
      expect(store.size).toBe(0)
    })

    test('a charge that takes nothing beside one that does', () => {
      const store = new MemoryStore()
      for (const charges of [
        [...charge('new', 0), ...charge('other', 1)],
        [...charge('other', 1), ...charge('new', 0)],
      ]) {
        store.take(charges, 0)
        expect(store.size).toBe(1)
      }
    })

    test('a reset takes one away', () => {
      const store = new MemoryStore()
      store.take([...charge('a'), ...charge('b'), { scope: 'writes', key: 'a', limits: [ten], cost: 1 }], 0)
      expect(store.size).toBe(3)
      store.reset('a')
      expect(store.size).toBe(2)
      store.reset('a', 'writes')
      expect(store.size).toBe(1)
    })
  })

  describe('memory is bounded', () => {
    test('the characters of keys have a budget: 64 for each key that there may be', () => {
      const store = new MemoryStore({ maxKeys: 100 })
      for (let key = 0; key < 1_000; key++) {
        store.take(charge(String(key).padStart(256, '-'), 10), 0)
        expect(store.size).toBeLessThanOrEqual(25)
      }
      expect(store.size).toBe(25)
      // Small ones find room again, each dropping what it needs.
      for (let key = 0; key < 100; key++) store.take(charge(`small ${key}`, 10), 0)
      expect(store.size).toBeGreaterThan(90)
    })

    test('one key that is longer than the whole budget is kept, alone', () => {
      const store = new MemoryStore({ maxKeys: 3 })
      for (let key = 0; key < 3; key++) store.take(charge(`small ${key}`, 10), 0)
      const long = 'x'.repeat(256)
      store.take(charge(long, 10), 0)
      expect(store.size).toBe(1)
      expect(store.take(charge(long), 0).allowed).toBe(false)
      store.take(charge('small', 10), 0)
      expect([store.size, left(store, 'small', 0), left(store, long, 0)]).toEqual([1, 0, 10])
    })

    test('keys above 256 characters take the room of short ones: they drive nobody out', () => {
      const store = new MemoryStore({ maxKeys: 1_000 })
      for (let key = 0; key < 500; key++) store.take(charge(`small ${key}`, 10), 0)
      for (let key = 0; key < 500; key++) store.take(charge(`${key}`.padStart(15_000, 'x'), 10), 0)
      expect(store.size).toBe(1_000)
      for (let key = 0; key < 500; key++) {
        expect(left(store, `small ${key}`, 0)).toBe(0)
        expect(left(store, `${key}`.padStart(15_000, 'x'), 0)).toBe(0)
      }
      expect(store.dropped).toBe(0)
    })

    test('long keys that differ in one character, in length or in a wide one are different keys, by every method', () => {
      const store = new MemoryStore()
      const x = 'x'.repeat(300)
      const keys = [
        x,
        `${x}x`,
        `${x.slice(1)}y`,
        `y${x.slice(1)}`,
        `${x.slice(1)}\u0178`,
        x.slice(0, 257),
        x.slice(0, 256),
      ]
      for (const [index, key] of keys.entries()) store.take(charge(key, index + 1), 0)
      expect(keys.map((key) => left(store, key, 0))).toEqual([9, 8, 7, 6, 5, 4, 3])
      store.settle(charge(x, 1), 4, 0)
      store.reset(`${x}x`)
      expect(keys.map((key) => left(store, key, 0))).toEqual([6, 10, 7, 6, 5, 4, 3])
      expect(store.take(charge(x), 0).limits[0]?.key).toBe(x)
    })

    test('a key of 20 MB keeps no memory', () => {
      const store = new MemoryStore()
      // In a function of its own, whose variables keep nothing alive.
      const takeLong = (cost: number) => store.take(charge('x'.repeat(20_000_000), cost), 0).allowed
      takeLong(1)
      const before = heapBytes()
      expect([takeLong(9), takeLong(1)]).toEqual([true, false])
      expect(heapBytes() - before).toBeLessThan(10_000_000)
    })

    test('the characters of scopes are of that budget too', () => {
      const scoped = (scope: string): readonly Charge[] => [{ key: 'k', scope, limits: [ten], cost: 10 }]
      const store = new MemoryStore({ maxKeys: 100 })
      for (let scope = 0; scope < 1_000; scope++) {
        store.take(scoped(String(scope).padStart(639, '-')), 0)
        expect(store.size).toBeLessThanOrEqual(10)
      }
      for (let key = 0; key < 100; key++) store.take(charge(`small ${key}`, 10), 0)
      expect(store.size).toBeGreaterThan(90)
    })

    test('one key whose limits are others each time, and long to fill: 255 are kept beside those of the request', () => {
      const store = new MemoryStore({ maxKeys: 100 })
      const own = (round: number) => [limit({ name: `l${round}`, tokens: 5, per: '1d' })]
      const slow = [limit({ name: 'slow', tokens: 5, per: '30d' })]
      store.take(charge('customer', 1, slow), 0)
      const before = heapBytes()
      for (let round = 0; round < 1_000; round++) store.take(charge('customer', 1, own(round)), round)
      expect(heapBytes() - before).toBeLessThan(2_000_000)
      const owes = (limits: readonly Limit[]) =>
        store.peek(charge('customer', 0, limits), 1_000).limits[0]?.fullAfterMs !== 0
      expect([owes(slow), owes(own(999)), owes(own(745)), owes(own(744)), owes(own(0))]).toEqual([
        ...[true, true, true],
        ...[false, false],
      ])
    })
  })

  describe('a new store', () => {
    test('allocates nothing large and draws nothing at random until the first take', () => {
      const random = vi.spyOn(globalThis.crypto, 'getRandomValues')
      // 20 stores, so that what else the process allocates meanwhile is small beside the bound: 100 kB for each.
      const create = () => Array.from({ length: 20 }, () => new MemoryStore({ maxKeys: 1_000_000 }))
      create()
      const before = heapBytes()
      const stores = create()
      const allocated = heapBytes() - before
      expect(stores.map((store) => store.size)).toEqual(Array(20).fill(0))
      expect(allocated).toBeLessThan(20 * 100_000)
      expect(random).not.toHaveBeenCalled()
      stores[0]?.take(charge('first'), 0)
      expect(random).toHaveBeenCalledTimes(name === 'the table' ? 1 : 0)
    })

    test('starts no timer and nothing else that keeps a process alive', () => {
      const before = process.getActiveResourcesInfo()
      const store = new MemoryStore()
      store.take(charge('first'), 0)
      expect(process.getActiveResourcesInfo()).toEqual(before)
    })

    test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 24 + 1, '40000', null])(
      'is not made with maxKeys: %o',
      (maxKeys) => {
        const make = () => new MemoryStore({ maxKeys: maxKeys as number })
        expect(make).toThrow(expect.objectContaining({ name: 'RailError', code: 'RAIL_BAD_OPTION' }))
        expect(make).toThrow(/^maxKeys: expected a whole number from 1 to 16777216, got /)
      },
    )

    test.each([
      [{ maxkeys: 5 }, 'RAIL_UNKNOWN_OPTION', /^maxkeys: .*maxKeys/],
      [{ max: 5 }, 'RAIL_UNKNOWN_OPTION', /^max: /],
      [5, 'RAIL_BAD_OPTION', /^MemoryStore: expected an object of options, got 5/],
      [null, 'RAIL_BAD_OPTION', /^MemoryStore: /],
    ])('is not made with %o, which would have been 40,000 keys without a word', (options, code, message) => {
      const make = () => new MemoryStore(options as never)
      expect(make).toThrow(expect.objectContaining({ name: 'RailError', code }))
      expect(make).toThrow(message)
    })

    test.each([undefined, {}, { maxKeys: undefined }])('has room for 40,000 keys by default: %o', (options) => {
      const store = new MemoryStore(options)
      for (let key = 0; key < 40_001; key++) store.take(charge(`k${key}`), 0)
      expect(store.size).toBe(40_000)
    })

    test('of one key works', () => {
      const store = new MemoryStore({ maxKeys: 1 })
      store.take(charge('a', 10), 0)
      expect(store.take(charge('a'), 0).allowed).toBe(false)
      store.take(charge('b', 10), 0)
      expect([left(store, 'a', 0), left(store, 'b', 0), store.size]).toEqual([10, 0, 1])
    })
  })

  describe('two stores', () => {
    test('share nothing', () => {
      const [one, other] = [new MemoryStore(), new MemoryStore()]
      one.take(charge('a', 10), 0)
      expect(other.take(charge('a', 10), 0).allowed).toBe(true)
    })
  })
})
