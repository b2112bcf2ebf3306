import { limit, perHour, perMinute, perSecond } from '@rail/core'
import { charge, lives, type StoreCheck, shows } from './tools.js'

const small = perSecond(1, { burst: 2 })
const large = perSecond(1, { burst: 10 })

/** Corrections, once the actual cost is known. */
export const SETTLING: readonly StoreCheck[] = [
  {
    name: 'settle gives back tokens that the actual cost does not need',
    check: async (store) => {
      const request = charge(large, { cost: 8 })
      await store.take([request], 0)
      await store.settle([request], 3, 0)
      await shows(store, charge(large), [{ now: 0, cost: 0, allowed: true, left: [7], full: [3_000] }])
      await store.settle([request], 8, 0)
      await shows(store, charge(large), [{ now: 0, cost: 0, allowed: true, left: [7] }])
    },
  },
  {
    name: 'settle never fills a bucket above full',
    check: async (store) => {
      const request = charge(large, { cost: 8 })
      await store.take([request], 0)
      await store.settle([request], 0, 5_000)
      await lives(store, charge(large), [
        { now: 5_000, cost: 10, allowed: true, left: [0], full: [10_000] },
        { now: 5_000, allowed: false, wait: 1_000 },
      ])
    },
  },
  {
    name: 'settle takes tokens that the actual cost needs besides, into debt if need be, and later requests wait it off',
    check: async (store) => {
      const request = charge(large, { cost: 8 })
      await store.take([request], 0)
      await store.settle([request], 15, 0)
      await lives(store, charge(large), [
        { now: 0, allowed: false, left: [0], wait: 6_000, full: [15_000] },
        { now: 5_999, allowed: false, left: [0], wait: 1 },
        { now: 6_000, allowed: true, left: [0] },
      ])
    },
  },
  {
    name: 'settle leaves limits that count requests alone',
    check: async (store) => {
      const limits = [perSecond(3, { counts: 'requests' }), limit({ name: 'model_tokens', tokens: 90, per: '1m' })]
      const request = charge(limits, { cost: 10 })
      await store.take([request], 0)
      await store.settle([request], 50, 0)
      await shows(store, charge(limits, { cost: 0 }), [{ now: 0, cost: 0, allowed: true, left: [1, 40] }])
      await store.settle([request], 0, 0)
      await shows(store, charge(limits, { cost: 0 }), [{ now: 0, cost: 0, allowed: true, left: [1, 50] }])
    },
  },
  {
    name: 'settle of the cost that was taken changes nothing, not even the moment the key was drained to',
    check: async (store) => {
      const request = charge(perHour(1))
      await store.take([request], 0)
      await store.settle([request], 1, 70_000)
      await shows(store, request, [{ now: 5_000, cost: 0, allowed: true, left: [0], full: [3_595_000] }])
    },
  },
  {
    name: 'settle counts from what is owed at its own moment',
    check: async (store) => {
      const request = charge(large)
      await store.take([request], 0)
      await store.settle([request], 4, 10_000)
      await shows(store, request, [{ now: 10_000, cost: 0, allowed: true, left: [7], full: [3_000] }])
    },
  },
  {
    name: 'settle moves tokens of the limit as the bucket has it now',
    check: async (store) => {
      const request = charge(large, { cost: 5 })
      await store.take([request], 0)
      await lives(store, charge(small), [{ now: 0, cost: 0, allowed: true, left: [0], full: [2_000] }])
      await store.settle([request], 7, 0)
      await shows(store, charge(small), [{ now: 0, cost: 0, allowed: true, left: [0], full: [4_000] }])
    },
  },
  {
    name: 'settle moves tokens of the limit as it was charged where the bucket is full by now',
    check: async (store) => {
      const request = charge(large, { cost: 2 })
      await store.take([request], 0)
      await lives(store, charge(small), [{ now: 0, cost: 0, allowed: true, left: [0], full: [2_000] }])
      await store.settle([request], 10, 20_000)
      await shows(store, charge(large), [{ now: 20_000, cost: 0, allowed: true, left: [2], full: [8_000] }])
      await shows(store, charge(small), [{ now: 20_000, cost: 0, allowed: true, left: [0], full: [2_000] }])
    },
  },
  {
    name: 'settle corrects every limit of every charge, each by the difference to its own cost',
    check: async (store) => {
      const client = charge([large, perMinute(60)], { key: 'client', scope: 'oauth', cost: 4 })
      const user = charge(large, { cost: 6 })
      await store.take([client, user], 0)
      await store.settle([client, user], 5, 0)
      await shows(store, { ...client, cost: 0 }, [{ now: 0, cost: 0, allowed: true, left: [5, 55] }])
      await shows(store, { ...user, cost: 0 }, [{ now: 0, cost: 0, allowed: true, left: [5] }])
    },
  },
  {
    name: 'settle of a bucket that was forgotten meanwhile takes what is more, and gives back nothing',
    check: async (store) => {
      const request = charge(large, { cost: 4 })
      await store.take([request], 0)
      await store.reset('customer')
      await store.settle([request], 1, 0)
      await shows(store, request, [{ now: 0, cost: 0, allowed: true, left: [10], full: [0] }])
      await store.settle([request], 7, 0)
      await shows(store, request, [{ now: 0, cost: 0, allowed: true, left: [7], full: [3_000] }])
    },
  },
]
