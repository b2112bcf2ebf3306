import { type Limit, limit, perMinute, perSecond, type Store, share } from '@rail/core'
import { charge, equal, lives, type StoreCheck, shows } from './tools.js'

const small = perSecond(1, { burst: 2 })
const large = perSecond(1, { burst: 10 })
const fast = perSecond(5, { burst: 10 })

/** How many requests are allowed in a minute in which these limits of one name take turns, each twice a second. */
async function admittedIn(store: Store, turns: readonly Limit[], key: string): Promise<number> {
  let admitted = 0
  for (let now = 0; now <= 60_000; now += 500) {
    for (const turn of turns) if ((await store.take([charge(turn, { key })], now)).allowed) admitted++
  }
  return admitted
}

/** What happens when a limit of the same name changes under a bucket. */
export const CHANGING: readonly StoreCheck[] = [
  {
    name: 'a raised limit takes effect at once, and spent tokens stay spent',
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
    name: 'a bucket that is carried over to another limit is rounded up to a whole grain of it',
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
    name: 'a refusal carries over too, and remembers what the smaller limit cannot show',
    check: async (store) => {
      await lives(store, charge(large), [{ now: 0, cost: 10, allowed: true, left: [0] }])
      await lives(store, charge(perSecond(2)), [{ now: 0, allowed: false, left: [0], wait: 500, full: [1_000] }])
      await lives(store, charge(fast), [{ now: 1_000, cost: 0, allowed: true, left: [2], full: [1_600] }])
    },
  },
  {
    name: 'spent tokens stay spent when a limit is lowered and raised again',
    check: async (store) => {
      const [hundred, five] = [charge(perMinute(100)), charge(perMinute(5))]
      await lives(store, hundred, [{ now: 0, cost: 95, allowed: true, left: [5] }])
      await lives(store, five, [{ now: 0, cost: 0, allowed: true, left: [0], full: [60_000] }])
      await lives(store, hundred, [{ now: 0, cost: 0, allowed: true, left: [5], full: [57_000] }])
      await lives(store, five, [{ now: 0, allowed: false, left: [0], wait: 12_000 }])
      await lives(store, hundred, [{ now: 0, cost: 6, allowed: false, left: [5], wait: 600 }])
    },
  },
  {
    name: 'tokens that a smaller limit cannot show drain at its rate, after those that it shows',
    check: async (store) => {
      await lives(store, charge(large), [{ now: 0, cost: 10, allowed: true }])
      await lives(store, charge(small), [
        { now: 0, cost: 0, allowed: true, left: [0], full: [2_000] },
        { now: 3_000, cost: 0, allowed: true, left: [2], full: [0] },
      ])
      await lives(store, charge(large), [{ now: 4_000, cost: 0, allowed: true, left: [4], full: [6_000] }])
    },
  },
  {
    name: 'a bucket that shows nothing owed but remembers more is not full: its key is kept, and its moment',
    check: async (store) => {
      await lives(store, charge(large), [{ now: 100_000, cost: 10, allowed: true }])
      await lives(store, charge(small), [
        { now: 100_000, cost: 0, allowed: true, left: [0] },
        { now: 102_000, cost: 0, allowed: true, left: [2], full: [0] },
        { now: 99_000, cost: 2, allowed: true, left: [0], full: [5_000] },
      ])
      await lives(store, charge(large), [{ now: 102_000, cost: 0, allowed: true, left: [0], full: [10_000] }])
    },
  },
  {
    name: 'two definitions that take turns allow no more than the larger',
    check: async (store) => {
      for (const [key, one, other, most] of [
        ['far', perMinute(5), perMinute(100), 200],
        ['near', perMinute(60), perMinute(100), 200],
        ['size and rate', limit({ name: 'per_minute', tokens: 90, per: '1m', burst: 10 }), perMinute(60), 150],
      ] as const) {
        for (const turns of [
          [one, other, other],
          [other, other, one],
        ]) {
          const admitted = await admittedIn(store, turns, `${key} ${turns.indexOf(one)}`)
          equal(admitted <= most, true, `${admitted} of ${most} in the first minute, ${key}`)
        }
      }
    },
  },
  {
    name: 'a raise takes effect at once, three times within a minute, and never leaves less than before',
    check: async (store) => {
      await lives(store, charge(perMinute(400)), [{ now: 0, cost: 400, allowed: true, left: [0] }])
      for (const [now, tokens] of [
        [0, 500],
        [20_000, 700],
        [40_000, 900],
      ] as const) {
        const before = tokens === 500 ? 400 : tokens - 200
        const { remaining = 0 } = (await store.peek([charge(perMinute(before), { cost: 0 })], now)).limits[0] ?? {}
        const left = remaining + tokens - before
        await lives(store, charge(perMinute(tokens)), [
          { now, cost: 0, allowed: true, left: [left] },
          { now, cost: left, allowed: true, left: [0] },
        ])
      }
    },
  },
  {
    name: 'a small raise after a large cut leaves no less than before it',
    check: async (store) => {
      await lives(store, charge(perMinute(100)), [{ now: 0, cost: 95, allowed: true }])
      await lives(store, charge(perMinute(5)), [
        { now: 0, cost: 0, allowed: true, left: [0] },
        { now: 36_000, cost: 0, allowed: true, left: [3] },
      ])
      await lives(store, charge(perMinute(10)), [{ now: 36_000, cost: 0, allowed: true, left: [3] }])
      await lives(store, charge(perMinute(100)), [{ now: 36_000, cost: 0, allowed: true, left: [8] }])
    },
  },
  {
    name: 'tokens that are given back reduce what is shown first, then what was cut off',
    check: async (store) => {
      const taken = charge(large, { cost: 9 })
      await store.take([taken], 0)
      await lives(store, charge(small), [{ now: 0, cost: 0, allowed: true, left: [0] }])
      await store.settle([taken], 8, 0)
      await shows(store, charge(small), [{ now: 0, cost: 0, allowed: true, left: [1] }])
      await store.settle([taken], 6, 0)
      await shows(store, charge(small), [{ now: 0, cost: 0, allowed: true, left: [2], full: [0] }])
      await shows(store, charge(large), [{ now: 0, cost: 0, allowed: true, left: [5], full: [5_000] }])
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
    name: 'limits that are equal but other objects are the same',
    check: async (store) => {
      for (const left of [9, 8, 7]) {
        // Shares, which are made again each time: limit() gives the same object for an equal definition.
        const whole = [perSecond(2, { burst: 20 }), perMinute(120, { burst: 20, name: 'same rate' })]
        const equalLimits = charge(whole.map((one) => share(one, 2)))
        const { limits } = await store.take([equalLimits], 0)
        equal(
          limits.map((status) => status.remaining),
          [left, left],
          'left',
        )
      }
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
