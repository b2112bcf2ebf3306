import { type Charge, type Limit, perMinute, perSecond, type Store } from '@rail/core'
import { charge, equal, failsWith, leftOf, type StoreCheck } from './tools.js'

const TEN = perSecond(10)
const GOOD = charge(TEN)

/** What a caller may pass by mistake. The code of each error, and the charges. */
const WRONG_CHARGES: readonly (readonly [code: string, charges: unknown])[] = [
  ['RAIL_BAD_CHARGES', undefined],
  ['RAIL_BAD_CHARGES', GOOD],
  ['RAIL_BAD_CHARGES', [null]],
  ['RAIL_BAD_KEY', [{ ...GOOD, key: undefined }]],
  ['RAIL_BAD_KEY', [{ ...GOOD, key: '' }]],
  ['RAIL_BAD_KEY', [{ ...GOOD, key: 7 }]],
  ['RAIL_BAD_COST', [{ ...GOOD, cost: Number.NaN }]],
  ['RAIL_BAD_COST', [{ ...GOOD, cost: -5 }]],
  ['RAIL_BAD_COST', [{ ...GOOD, cost: 0.5 }]],
  ['RAIL_BAD_COST', [{ ...GOOD, cost: '1' }]],
  ['RAIL_BAD_OPTION', [{ ...GOOD, scope: 1 }]],
  ['RAIL_NO_LIMITS', [{ ...GOOD, limits: undefined }]],
  ['RAIL_BAD_LIMITS', [{ ...GOOD, limits: TEN }]],
  ['RAIL_BAD_LIMITS', [{ ...GOOD, limits: [{ tokens: 1 }] }]],
  ['RAIL_DUPLICATE_NAME', [{ ...GOOD, limits: [TEN, perSecond(9)] }]],
  ['RAIL_BAD_KEY', [GOOD, { ...GOOD, scope: 'b', key: '' }]],
]

const WRONG_MOMENTS: readonly unknown[] = [Number.NaN, 1.5, Number.POSITIVE_INFINITY, '0', undefined]

/** What the store may read of a limit that changes each time it is read. */
function changing(limit: Limit): Limit {
  let reads = 0
  const changes = { get: () => (reads++ === 0 ? limit.size : Number.MAX_SAFE_INTEGER), enumerable: true }
  return Object.defineProperty({ ...limit }, 'size', changes)
}

class Other extends Array<Limit> {
  override *[Symbol.iterator](): ArrayIterator<Limit> {
    yield perMinute(1_000)
  }
}

/** A store that is called by hand is as strict as a limiter: nothing is lost or allowed by a mistake. */
export const CHECKING: readonly StoreCheck[] = [
  {
    name: 'wrong charges are an error, and nothing is taken',
    check: async (store) => {
      await store.take([GOOD], 0)
      for (const [code, charges] of WRONG_CHARGES) {
        for (const call of calls(store, charges as readonly Charge[], 0, 1)) await failsWith(code, call)
      }
      equal(leftOf(await store.peek([{ ...GOOD, cost: 0 }], 0)), [9], 'left')
    },
  },
  {
    name: 'a moment that is no whole number is an error, and nothing is taken',
    check: async (store) => {
      await store.take([GOOD], 0)
      for (const now of WRONG_MOMENTS) {
        for (const call of calls(store, [GOOD], now as number, 1)) await failsWith('RAIL_BAD_CLOCK', call)
      }
      equal(leftOf(await store.peek([{ ...GOOD, cost: 0 }], 0)), [9], 'left')
    },
  },
  {
    name: 'an actual cost that is none is an error, and nothing is given back',
    check: async (store) => {
      await store.take([{ ...GOOD, cost: 5 }], 0)
      for (const actual of [Number.NaN, -1, 0.5, '1', undefined]) {
        await failsWith('RAIL_BAD_COST', () => store.settle([{ ...GOOD, cost: 5 }], actual as number, 0))
      }
      equal(leftOf(await store.peek([{ ...GOOD, cost: 0 }], 0)), [5], 'left')
    },
  },
  {
    name: 'a wrong key or scope of reset is an error',
    check: async (store) => {
      await store.take([{ ...GOOD, key: 'undefined' }], 0)
      for (const key of [undefined, '', 7]) await failsWith('RAIL_BAD_KEY', () => store.reset(key as string))
      await failsWith('RAIL_BAD_OPTION', () => store.reset('undefined', 5 as never))
      equal(leftOf(await store.peek([{ ...GOOD, key: 'undefined', cost: 0 }], 0)), [9], 'left')
    },
  },
  {
    name: 'a charge is what was checked, whatever it returns when it is read again',
    check: async (store) => {
      for (const [index, name] of ['cost', 'key', 'limits'].entries()) {
        const own = { ...GOOD, key: `customer ${index}`, cost: 10 }
        const later = { cost: 0, key: 'another', limits: [perMinute(1_000)] } as Record<string, unknown>
        let reads = 0
        const get = () => (reads++ === 0 ? own[name as 'cost'] : later[name])
        const tricky = () => {
          reads = 0
          return Object.defineProperty({ ...own }, name, { get, enumerable: true })
        }
        equal((await store.take([tricky()], 0)).allowed, true, 'the first ten')
        equal((await store.take([tricky()], 0)).allowed, false, 'the eleventh')
      }
    },
  },
  {
    name: 'limits are those that were checked, whatever they return when they are read again',
    check: async (store) => {
      const limits = [[changing(TEN)], Other.from([TEN]), new Proxy([TEN], {})]
      for (const [index, tricky] of limits.entries()) {
        const own = { key: `customer ${index}`, limits: tricky, cost: 10 }
        equal((await store.take([own], 0)).allowed, true, 'the first ten')
        equal((await store.take([{ ...own, cost: 1 }], 0)).allowed, false, 'the eleventh')
      }
    },
  },
]

function calls(store: Store, charges: readonly Charge[], now: number, actual: number): (() => unknown)[] {
  return [
    () => store.take(charges, now),
    () => store.peek(charges, now),
    () => store.settle(charges, actual, now),
    // No charges before are usual.
    () => store.take([GOOD], now, charges ?? (null as never)),
  ]
}
