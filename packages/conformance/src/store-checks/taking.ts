import { limit, perDay, perMinute, perSecond, share } from '@rail/core'
import { charge, equal, lives, type Moment, type StoreCheck, shows } from './tools.js'

const bucketOf10 = charge(perSecond(1, { burst: 10 }))

/** One bucket: which costs it allows. */
export const TAKING: readonly StoreCheck[] = [
  {
    name: 'a key that was never charged has full buckets',
    check: (store) =>
      lives(store, charge([perSecond(10), perDay(7)]), [
        { now: 5_000, cost: 0, allowed: true, left: [10, 7], wait: 0, full: [0, 0] },
      ]),
  },
  {
    name: 'a request fits while its cost is left, and takes its cost',
    check: (store) =>
      lives(store, bucketOf10, [
        { now: 0, cost: 3, allowed: true, left: [7] },
        { now: 0, cost: 3, allowed: true, left: [4] },
        { now: 0, cost: 3, allowed: true, left: [1] },
        { now: 0, cost: 3, allowed: false, left: [1], wait: 2_000 },
        { now: 0, cost: 1, allowed: true, left: [0] },
        { now: 0, cost: 1, allowed: false, left: [0], wait: 1_000 },
      ]),
  },
  {
    name: 'a bucket drains evenly, millisecond by millisecond',
    check: (store) =>
      lives(store, bucketOf10, [
        { now: 0, cost: 10, allowed: true, left: [0], full: [10_000] },
        { now: 400, allowed: false, left: [0], wait: 600, full: [9_600] },
        { now: 999, allowed: false, left: [0], wait: 1 },
        { now: 1_000, allowed: true, left: [0] },
        { now: 3_500, cost: 2, allowed: true, left: [0], full: [9_500] },
        { now: 3_999, allowed: false, left: [0], wait: 1 },
        { now: 4_000, allowed: true, left: [0] },
      ]),
  },
  {
    name: 'a bucket never has more than its burst, however long it was idle',
    check: async (store) => {
      const hundred = charge(perMinute(100))
      await lives(store, hundred, [{ now: 0, allowed: true, left: [99] }])
      const hour: Moment[] = Array.from({ length: 100 }, (_, index) => ({
        now: 3_600_000,
        allowed: true,
        left: [99 - index],
      }))
      await lives(store, hundred, [
        ...hour,
        { now: 3_600_000, allowed: false, left: [0], wait: 600 },
        { now: 3_600_599, allowed: false, left: [0], wait: 1 },
        { now: 3_600_600, allowed: true, left: [0] },
      ])
    },
  },
  {
    name: 'the burst is the size of the bucket, whatever the tokens per window',
    check: async (store) => {
      await lives(store, charge(perSecond(10, { burst: 3 }), { key: 'small' }), [
        { now: 0, cost: 3, allowed: true, left: [0], full: [300] },
        { now: 100, allowed: true, left: [0] },
      ])
      await lives(store, charge(perSecond(2, { burst: 5 }), { key: 'large' }), [
        { now: 0, cost: 5, allowed: true, left: [0], full: [2_500] },
        { now: 100, allowed: false, left: [0], wait: 400 },
      ])
    },
  },
  {
    name: 'a cost of 0 always fits and takes nothing',
    check: (store) =>
      lives(store, bucketOf10, [
        { now: 0, cost: 10, allowed: true, left: [0] },
        { now: 0, cost: 0, allowed: true, left: [0], wait: 0, full: [10_000] },
        { now: 1_000, cost: 0, allowed: true, left: [1], full: [9_000] },
        { now: 1_000, cost: 1, allowed: true, left: [0] },
      ]),
  },
  {
    name: 'a cost above the burst never fits: the wait is Infinity and nothing is taken',
    check: (store) =>
      lives(store, bucketOf10, [
        { now: 0, cost: 11, allowed: false, left: [10], wait: Number.POSITIVE_INFINITY, full: [0] },
        { now: 0, cost: Number.MAX_SAFE_INTEGER, allowed: false, left: [10], wait: Number.POSITIVE_INFINITY },
        { now: 0, cost: 10, allowed: true, left: [0] },
      ]),
  },
  {
    name: 'a full bucket of a share allows a cost above it, and the debt is waited off',
    check: (store) =>
      lives(store, charge(share(perSecond(10), 4)), [
        { now: 0, cost: 10, allowed: true, left: [0], full: [3_334] },
        { now: 2_666, allowed: false, left: [0], wait: 1 },
        { now: 2_667, allowed: true, left: [0] },
        { now: 3_666, cost: 10, allowed: false, left: [2], wait: 1 },
        { now: 3_667, cost: 10, allowed: true, left: [0] },
      ]),
  },
  {
    name: 'a share never allows a cost above the whole limit',
    check: (store) =>
      lives(store, charge(share(perSecond(10), 4)), [
        { now: 0, cost: 11, allowed: false, left: [3], wait: Number.POSITIVE_INFINITY },
        { now: 0, cost: 3, allowed: true, left: [0] },
      ]),
  },
  {
    name: 'the wait is exact: a millisecond earlier is refused, and nothing later is needed',
    check: async (store) => {
      const limits = [
        perSecond(7),
        limit({ name: 'odd', tokens: 11, per: '13s' }),
        perDay(999_983),
        limit({ name: 'rare', tokens: 1, per: '30d' }),
      ]
      for (const each of limits) {
        const one = charge(each, { key: each.name })
        let now = 1_000_003
        await lives(store, one, [{ now, cost: each.burst, allowed: true, left: [0] }])
        for (const cost of [1, Math.ceil(each.burst / 2), each.burst]) {
          const { allowed, retryAfterMs } = await store.take([{ ...one, cost }], now)
          equal(allowed, false, `cost ${cost} on an empty bucket of ${each.name}`)
          await shows(store, one, [{ now: now + retryAfterMs - 1, cost, allowed: false, wait: 1 }])
          now += retryAfterMs
          await lives(store, one, [{ now, cost, allowed: true, left: [0] }])
        }
      }
    },
  },
]
