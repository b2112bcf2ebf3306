import { limit, perHour, perSecond } from '@rail/core'
import { charge, lives, type StoreCheck, shows } from './tools.js'

const second = perSecond(1, { burst: 10 })
const bucketOf10 = charge(second)

/** Steps back of the clock. */
export const CLOCK: readonly StoreCheck[] = [
  {
    name: 'a step back of the clock mints nothing and is waited out',
    check: (store) =>
      lives(store, bucketOf10, [
        { now: 100_000, cost: 10, allowed: true, left: [0], full: [10_000] },
        { now: 70_000, allowed: false, left: [0], wait: 31_000, full: [40_000] },
        { now: 70_000, cost: 0, allowed: true, left: [0], full: [40_000] },
        { now: 100_999, allowed: false, left: [0], wait: 1 },
        { now: 101_000, allowed: true, left: [0] },
      ]),
  },
  {
    name: 'the moment that a key was drained to never moves back, so no time counts twice',
    check: (store) =>
      lives(store, bucketOf10, [
        { now: 100_000, cost: 5, allowed: true, left: [5] },
        { now: 95_000, cost: 5, allowed: true, left: [0], full: [15_000] },
        { now: 99_999, allowed: false, left: [0], wait: 1_001 },
        { now: 100_000, allowed: false, left: [0], wait: 1_000 },
        { now: 101_000, allowed: true, left: [0] },
      ]),
  },
  {
    name: 'a step back of 60,000 ms is waited out, a longer one is not, and keeps what is owed',
    check: async (store) => {
      await lives(store, bucketOf10, [{ now: 100_000, cost: 10, allowed: true }])
      await shows(store, bucketOf10, [
        { now: 40_000, allowed: false, left: [0], wait: 61_000, full: [70_000] },
        { now: 39_999, allowed: false, left: [0], wait: 1_000, full: [10_000] },
        { now: -1_000_000, allowed: false, left: [0], wait: 1_000, full: [10_000] },
      ])
    },
  },
  {
    name: 'after a longer step back the key goes on from there, even if it was refused',
    check: (store) =>
      lives(store, bucketOf10, [
        { now: 100_000, cost: 10, allowed: true },
        { now: 39_999, allowed: false, wait: 1_000 },
        { now: 40_998, allowed: false, wait: 1 },
        { now: 40_999, allowed: true, left: [0], full: [10_000] },
        { now: 41_999, allowed: true, left: [0] },
      ]),
  },
  {
    name: 'a refusal keeps its moment',
    check: (store) =>
      lives(store, charge(perHour(1)), [
        { now: 0, allowed: true, full: [3_600_000] },
        { now: 70_000, allowed: false, wait: 3_530_000 },
        { now: 5_000, allowed: false, wait: 3_530_000 },
      ]),
  },
  {
    name: 'a key whose buckets are all full has no past to wait for',
    check: (store) =>
      lives(store, bucketOf10, [
        { now: 10_000, allowed: true, left: [9] },
        { now: 30_000, cost: 0, allowed: true, left: [10], full: [0] },
        { now: 5_000, cost: 10, allowed: true, left: [0], full: [10_000] },
        { now: 6_000, allowed: true, left: [0] },
      ]),
  },
  {
    name: 'the buckets of one key in one scope are drained to one moment, those in another scope to their own',
    check: async (store) => {
      await lives(store, bucketOf10, [{ now: 100_000, allowed: true }])
      const other = limit({ name: 'other', tokens: 1, per: '1s', burst: 10 })
      await lives(store, charge(other), [{ now: 90_000, cost: 10, allowed: true, left: [0], full: [20_000] }])
      await lives(store, charge(other, { scope: 'apart' }), [
        { now: 90_000, cost: 10, allowed: true, left: [0], full: [10_000] },
      ])
    },
  },
  {
    name: 'time is whole milliseconds from any moment: below 0, since 1970, up to 2^53',
    check: async (store) => {
      for (const start of [-3_000, 2 ** 31 - 1_000, 1_796_000_000_123, Number.MAX_SAFE_INTEGER - 10_000]) {
        await lives(store, charge(second, { key: `from ${start}` }), [
          { now: start, cost: 10, allowed: true, left: [0], full: [10_000] },
          { now: start + 2_999, cost: 3, allowed: false, left: [2], wait: 1 },
          { now: start + 3_000, cost: 3, allowed: true, left: [0] },
        ])
      }
    },
  },
]
