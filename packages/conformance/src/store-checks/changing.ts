import { type Limit, limit, perMinute, perSecond, share } from '@rail/core'
import { charge, equal, lives, type StoreCheck, shows } from './tools.js'

const small = perSecond(1, { burst: 2 })
const large = perSecond(1, { burst: 10 })
const fast = perSecond(5, { burst: 10 })
const namesOf = (limits: readonly { limit: Limit }[]) => limits.map((status) => status.limit.name)

/** What happens when a limit of the same name changes under a bucket. */
export const CHANGING: readonly StoreCheck[] = [
  {
    name: 'a raised limit is felt at once, and what was spent stays spent',
    check: async (store) => {
      await lives(store, charge(perMinute(100)), [{ now: 0, cost: 60, allowed: true, left: [40] }])
      await lives(store, charge(perMinute(300)), [
        { now: 0, cost: 0, allowed: true, left: [240], full: [12_000] },
        { now: 0, cost: 240, allowed: true, left: [0] },
        { now: 0, allowed: false, wait: 200 },
      ])
    },
  },
  {
    name: 'under a lowered limit no more is owed than its own size',
    check: async (store) => {
      await lives(store, charge(perMinute(100)), [{ now: 0, cost: 90, allowed: true }])
      await lives(store, charge(perMinute(10)), [
        { now: 0, cost: 0, allowed: true, left: [0], full: [60_000] },
        { now: 0, allowed: false, left: [0], wait: 6_000 },
      ])
    },
  },
  {
    name: 'a debt stays a debt when the limit changes',
    check: async (store) => {
      const quarter = charge(share(perSecond(10), 4))
      await lives(store, quarter, [{ now: 0, cost: 10, allowed: true, full: [3_334] }])
      await lives(store, charge(perSecond(5)), [
        { now: 0, cost: 0, allowed: true, left: [0], full: [2_000] },
        { now: 0, allowed: false, wait: 1_200 },
      ])
      await lives(store, charge(perSecond(2)), [{ now: 0, cost: 0, allowed: true, left: [0], full: [3_500] }])
    },
  },
  {
    name: 'what is carried over to another limit is rounded up to what its milliseconds drain',
    check: async (store) => {
      await lives(store, charge(limit({ name: 'fine', tokens: 1, per: 3, burst: 5 })), [
        { now: 0, allowed: true, full: [3] },
      ])
      await lives(store, charge(limit({ name: 'fine', tokens: 1, per: 2, burst: 5 })), [
        { now: 1, cost: 0, allowed: true, left: [4], full: [2] },
      ])
    },
  },
  {
    name: 'until it is charged under the new limit, a bucket drains at the old rate',
    check: async (store) => {
      await lives(store, charge(large), [{ now: 0, cost: 10, allowed: true }])
      await lives(store, charge(fast), [
        { now: 1_000, cost: 0, allowed: true, left: [1], full: [1_800] },
        { now: 2_000, cost: 0, allowed: true, left: [6] },
      ])
    },
  },
  {
    name: 'a refusal carries over too',
    check: async (store) => {
      await lives(store, charge(large), [{ now: 0, cost: 10, allowed: true, left: [0] }])
      await lives(store, charge(small), [{ now: 0, cost: 2, allowed: false, left: [0], wait: 2_000 }])
      await lives(store, charge(large), [{ now: 0, cost: 0, allowed: true, left: [8] }])
    },
  },
  {
    name: 'a limit that stays as it is beside a changed one keeps its bucket',
    check: async (store) => {
      await lives(store, charge([perSecond(10), perMinute(300)]), [{ now: 0, cost: 10, allowed: true, left: [0, 290] }])
      await lives(store, charge([perSecond(20), perMinute(300)]), [{ now: 0, cost: 1, allowed: true, left: [9, 289] }])
      await lives(store, charge([perMinute(300), perSecond(20)]), [{ now: 0, cost: 1, allowed: true, left: [288, 8] }])
    },
  },
  {
    name: 'a limit that is left out for a while keeps what it owes, and drains meanwhile',
    check: async (store) => {
      await lives(store, charge([perSecond(10), perMinute(100)]), [{ now: 0, cost: 10, allowed: true, left: [0, 90] }])
      await lives(store, charge(perSecond(10)), [{ now: 1_000, cost: 10, allowed: true, left: [0] }])
      await lives(store, charge(perMinute(100)), [{ now: 1_500, cost: 0, allowed: true, left: [92], full: [4_500] }])
      await lives(store, charge([perSecond(10), perMinute(100)]), [
        { now: 1_900, cost: 0, allowed: true, left: [9, 93], full: [100, 4_100] },
      ])
    },
  },
  {
    name: 'limits that are equal but made anew are the same',
    check: async (store) => {
      for (const left of [9, 8, 7]) {
        const anew = charge([perSecond(1, { burst: 10 }), perMinute(60, { burst: 10, name: 'same rate' })])
        const { limits, redefined } = await store.take([anew], 0)
        equal([limits.map((status) => status.remaining), namesOf(redefined)], [[left, left], []], 'left, and redefined')
      }
    },
  },
  {
    name: 'redefined has the statuses of buckets that owe something under another definition',
    check: async (store) => {
      const [a, b, c] = [perSecond(1, { name: 'a' }), perSecond(2, { name: 'b' }), perSecond(3, { name: 'c' })]
      const again = [perSecond(4, { name: 'a' }), b, perSecond(3, { name: 'c', burst: 9 })]
      equal((await store.take([charge([a, b, c])], 0)).redefined, [], 'the first time')
      const { redefined, limits } = await store.take([charge(again)], 0)
      equal(redefined, [limits[0], limits[2]], 'redefined')
      equal((await store.take([charge(again)], 0)).redefined, [], 'the next time')
      const several = [charge(again), charge([a], { key: 'other' })]
      equal((await store.take(several, 0)).redefined, [], 'the next time, of several charges')
    },
  },
  {
    name: 'a share takes the place of the whole limit, and gives it back, at what was spent',
    check: async (store) => {
      const whole = perSecond(10)
      await lives(store, charge(whole), [{ now: 0, cost: 2, allowed: true, left: [8] }])
      await lives(store, charge(share(whole, 4)), [{ now: 0, cost: 1, allowed: true, left: [0], full: [1_000] }])
      await shows(store, charge(whole), [{ now: 0, cost: 0, allowed: true, left: [7], full: [300] }])
    },
  },
]
