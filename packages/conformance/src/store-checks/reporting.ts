import { type LimitStatus, limit, perMinute, perSecond } from '@rail/core'
import { charge, equal, leftOf, lives, type StoreCheck, shows } from './tools.js'

const second = perSecond(10)
const minute = perMinute(300)

/** The properties of a decision, and several limits of one charge. */
export const REPORTING: readonly StoreCheck[] = [
  {
    name: 'a refusal takes nothing from any limit',
    check: (store) =>
      lives(store, charge([minute, second]), [
        { now: 0, cost: 10, allowed: true, left: [290, 0] },
        { now: 0, allowed: false, left: [290, 0], wait: 100 },
        { now: 0, cost: 5, allowed: false, left: [290, 0], wait: 500 },
        { now: 0, cost: 300, allowed: false, left: [290, 0], wait: Number.POSITIVE_INFINITY },
        { now: 1_000, cost: 10, allowed: true, left: [285, 0] },
      ]),
  },
  {
    name: 'the wait of a decision is the longest among the limits that refused, not among all',
    check: async (store) => {
      const rare = limit({ name: 'rare', tokens: 2, per: '1h' })
      await lives(store, charge(rare), [{ now: 0, cost: 2, allowed: true }])
      await lives(store, charge([second, minute], { key: 'other' }), [
        { now: 0, cost: 10, allowed: true },
        { now: 1_000, cost: 10, allowed: true, left: [0, 285] },
      ])
      await lives(store, charge([second, rare]), [{ now: 0, cost: 2, allowed: false, left: [10, 0], wait: 3_600_000 }])
      await lives(store, charge([second, rare]), [{ now: 1_800_000, cost: 1, allowed: true, left: [9, 0] }])
      await lives(store, charge([rare, second]), [
        { now: 1_800_000, cost: 0, allowed: true, left: [0, 9], wait: 0 },
        { now: 1_800_000, cost: 10, allowed: false, left: [0, 9], wait: Number.POSITIVE_INFINITY },
      ])
      await lives(store, charge([minute, second], { key: 'other' }), [
        { now: 1_000, cost: 1, allowed: false, left: [285, 0], wait: 100 },
      ])
    },
  },
  {
    name: 'refusedBy names the limits that refused, after their scope, in order; no other is marked as refused',
    check: async (store) => {
      const [a, b, c] = ['a', 'b', 'c'].map((name) => perSecond(name === 'b' ? 10 : 2, { name })) as [
        never,
        never,
        never,
      ]
      const request = charge([a, b, c], { scope: 'writes', cost: 2 })
      await store.take([request], 0)
      const { refusedBy, limits } = await store.take([request], 0)
      equal(refusedBy, ['writes.a', 'writes.c'], 'refusedBy')
      equal(
        limits.map((status) => status.refused),
        [true, false, true],
        'refused',
      )
      equal((await store.peek([charge([a, b])], 0)).refusedBy, [], 'refusedBy of an allowed decision')
    },
  },
  {
    name: 'statuses are in the order of the charges and their limits, each with its limit, key, scope and cost',
    check: async (store) => {
      const day = limit({ name: 'z', tokens: 90, per: '1d', counts: 'requests' })
      const decision = await store.take(
        [
          charge([minute, day], { key: 'client', scope: 'oauth', cost: 4 }),
          charge([second, minute], { key: 'user', cost: 2 }),
        ],
        0,
      )
      const reported = ({ limit, key, scope, cost, remaining }: LimitStatus) => [
        limit.name,
        limit.burst,
        key,
        scope,
        cost,
        remaining,
      ]
      equal(
        decision.limits.map(reported),
        [
          ['per_minute', 300, 'client', 'oauth', 4, 296],
          ['z', 90, 'client', 'oauth', 1, 89],
          ['per_second', 10, 'user', '', 2, 8],
          ['per_minute', 300, 'user', '', 2, 298],
        ],
        'limit, burst, key, scope, cost, left',
      )
    },
  },
  {
    name: 'a limit that did not refuse reports the wait for one token, 0 while one is left',
    check: async (store) => {
      const request = charge([perSecond(4), perMinute(100)], { cost: 4 })
      const waits = (limits: readonly LimitStatus[]) => limits.map((status) => status.retryAfterMs)
      equal(waits((await store.take([request], 0)).limits), [250, 0], 'after an allowed take')
      equal(waits((await store.take([request], 0)).limits), [1_000, 0], 'after a refused take')
      equal(waits((await store.peek([{ ...request, cost: 0 }], 100)).limits), [150, 0], 'at 100 ms')
    },
  },
  {
    name: 'fullAfterMs is exact: a millisecond earlier something is owed, then nothing',
    check: async (store) => {
      const request = charge([perSecond(7), limit({ name: 'odd', tokens: 11, per: '13s' })])
      const { limits } = await store.take([{ ...request, cost: 3 }], 0)
      equal(
        limits.map((status) => status.fullAfterMs),
        [429, 3_546],
        'fullAfterMs',
      )
      await shows(store, request, [
        { now: 428, cost: 0, allowed: true, left: [6, 8], full: [1, 3_118] },
        { now: 429, cost: 0, allowed: true, left: [7, 8], full: [0, 3_117] },
        { now: 3_545, cost: 0, allowed: true, left: [7, 10], full: [0, 1] },
        { now: 3_546, cost: 0, allowed: true, left: [7, 11], full: [0, 0] },
      ])
    },
  },
  {
    name: 'tokens left are rounded down',
    check: async (store) => {
      await store.take([charge(second, { cost: 10 })], 0)
      for (const [now, left] of [
        [99, 0],
        [100, 1],
        [199, 1],
        [999, 9],
        [1_000, 10],
      ] as const) {
        equal(leftOf(await store.peek([charge(second, { cost: 0 })], now)), [left], `left at ${now} ms`)
      }
    },
  },
  {
    name: 'a limit that counts requests takes 1 from each, whatever the cost',
    check: (store) =>
      lives(
        store,
        charge([perSecond(3, { counts: 'requests' }), limit({ name: 'model_tokens', tokens: 90_000, per: '1m' })]),
        [
          { now: 0, cost: 50_000, allowed: true, left: [2, 40_000] },
          { now: 0, cost: 0, allowed: true, left: [1, 40_000] },
          { now: 0, cost: 40_000, allowed: true, left: [0, 0] },
          { now: 0, cost: 0, allowed: false, left: [0, 0], wait: 334 },
        ],
      ),
  },
]
