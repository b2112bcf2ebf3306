import { perMinute, perSecond } from '@rail/core'
import { charge, equal, failsWith, leftOf, lives, type StoreCheck, shows } from './tools.js'

const ten = perSecond(10)
const large = perSecond(1, { burst: 10 })

/** Several charges of one request, and a request that was charged before. */
export const SEVERAL: readonly StoreCheck[] = [
  {
    name: 'several charges are all or nothing',
    check: async (store) => {
      const client = charge([ten, perMinute(300)], { key: 'client' })
      const user = charge(perSecond(2), { key: 'user' })
      equal(leftOf(await store.take([client, user], 0)), [9, 299, 1], 'left')
      equal(leftOf(await store.take([client, user], 0)), [8, 298, 0], 'left')
      for (const charges of [
        [client, user],
        [user, client],
      ]) {
        const { allowed, retryAfterMs, refusedBy } = await store.take(charges, 0)
        equal([allowed, retryAfterMs, refusedBy], [false, 500, ['per_second']], 'allowed, wait, refused by')
      }
      await shows(store, client, [{ now: 0, cost: 0, allowed: true, left: [8, 298] }])
    },
  },
  {
    name: 'charges that meet in one bucket are checked once, with their costs added',
    check: async (store) => {
      const [three, four] = [charge(ten, { cost: 3 }), charge([perMinute(300), ten], { cost: 4 })]
      const { allowed, limits } = await store.take([three, four], 0)
      equal(allowed, true, '3 + 4 of 10')
      equal(
        limits.map((status) => [status.limit.name, status.cost, status.remaining]),
        [
          ['per_second', 7, 3],
          ['per_minute', 4, 296],
        ],
        'statuses',
      )
      const again = await store.take([three, four], 0)
      equal([again.allowed, again.retryAfterMs, leftOf(again)], [false, 400, [3, 296]], '7 more of 3')
      await shows(store, charge(ten), [{ now: 400, cost: 7, allowed: true, left: [0] }])
    },
  },
  {
    name: 'one request takes 1 from a limit that counts requests, however many of its charges meet there',
    check: async (store) => {
      const requests = charge(perSecond(5, { counts: 'requests' }), { cost: 3 })
      equal(leftOf(await store.take([requests, requests], 0)), [4], 'left')
    },
  },
  {
    name: 'charges that meet in one bucket under two definitions of its limit are an error, and take nothing',
    check: async (store) => {
      const charges = [charge(ten, { key: 'other' }), charge(ten), charge(perSecond(20))]
      await failsWith('RAIL_BAD_CHARGES', () => store.take(charges, 0))
      await shows(store, charge(ten), [{ now: 0, cost: 0, allowed: true, left: [10] }])
      await shows(store, charge(ten, { key: 'other' }), [{ now: 0, cost: 0, allowed: true, left: [10] }])
    },
  },
  {
    name: 'a request that was charged before takes only the difference',
    check: async (store) => {
      const limits = [large, perMinute(60, { counts: 'requests' })]
      const costs = (cost: number) => [charge(limits, { cost })]
      await store.take(costs(2), 0)
      equal(leftOf(await store.take(costs(5), 0, costs(2))), [5, 59], 'left after 5 instead of 2')
      equal(leftOf(await store.take(costs(1), 0, costs(5))), [9, 59], 'left after 1 instead of 5')
    },
  },
  {
    name: 'earlier charges are given back once, however many of them meet in a bucket, then or now',
    check: async (store) => {
      const costs = (...each: number[]) => each.map((cost) => charge(large, { cost }))
      await store.take(costs(4, 2), 0)
      equal(leftOf(await store.take(costs(5, 2), 0, costs(4))), [1], 'left after 5 and 2 instead of 4')
      equal(leftOf(await store.take(costs(1, 3, 2), 0, costs(5, 2))), [2], 'left after 1, 3 and 2 instead of 5 and 2')
    },
  },
  {
    name: 'an earlier charge to a bucket that is no longer charged is given back, whether the request is allowed or not',
    check: async (store) => {
      const requests = perMinute(60, { counts: 'requests' })
      const [both, other] = [charge([large, requests], { cost: 4 }), charge(large, { key: 'other', cost: 3 })]
      await store.take([both, other], 0)
      await store.take([both], 0)
      equal(leftOf(await store.take([{ ...other, cost: 1 }], 0, [both, other])), [9], 'left of the other')
      await shows(store, both, [{ now: 0, cost: 0, allowed: true, left: [6, 58] }])
      const { allowed } = await store.take([{ ...other, cost: 11 }], 0, [both])
      equal(allowed, false, '11 of 10')
      await shows(store, both, [{ now: 0, cost: 0, allowed: true, left: [10, 59] }])
    },
  },
  {
    name: 'peek returns what take would for a request that was charged before, and gives back nothing',
    check: async (store) => {
      const costs = (cost: number) => [charge(large, { cost })]
      await store.take(costs(8), 0)
      equal(leftOf(await store.peek(costs(3), 0, costs(8))), [7], 'left after 3 instead of 8')
      await shows(store, charge(large), [{ now: 0, cost: 0, allowed: true, left: [2] }])
    },
  },
  {
    name: 'a refused difference gives everything back, and its wait is that of the whole cost',
    check: async (store) => {
      await store.take([charge(large, { cost: 8 })], 0)
      await store.take([charge(large, { cost: 2 })], 0)
      const { allowed, retryAfterMs, limits } = await store.take([charge(large, { cost: 5 })], 0, [
        charge(large, { cost: 2 }),
      ])
      equal(
        [allowed, retryAfterMs, limits.map((status) => status.remaining)],
        [false, 3_000, [2]],
        'allowed, wait, left',
      )
      await shows(store, charge(large), [
        { now: 0, cost: 2, allowed: true, left: [0] },
        { now: 2_999, cost: 5, allowed: false, wait: 1 },
        { now: 3_000, cost: 5, allowed: true, left: [0] },
      ])
    },
  },
  {
    name: 'every charge of a request waits out a step back of the clock, even where another charge empties the key',
    check: async (store) => {
      const other = perSecond(1, { burst: 10, name: 'other' })
      await store.take([charge(large, { cost: 4 })], 100_000)
      const { allowed, limits } = await store.take([charge(large, { cost: 0 }), charge(other, { cost: 6 })], 70_000, [
        charge(large, { cost: 4 }),
      ])
      equal([allowed, limits.map((status) => status.fullAfterMs)], [true, [0, 36_000]], 'allowed, full after')
      await shows(store, charge([large, other]), [
        { now: 70_000, cost: 0, allowed: true, left: [10, 4], full: [0, 36_000] },
        { now: 100_000, cost: 5, allowed: false, left: [10, 4], wait: 1_000 },
        { now: 101_000, cost: 5, allowed: true, left: [5, 0] },
      ])
    },
  },
  {
    name: 'charges of one key under different limits share its buckets by name',
    check: async (store) => {
      const writes = charge([ten, perMinute(5, { name: 'writes' })], { cost: 2 })
      const reads = charge([ten, perMinute(300)])
      equal(leftOf(await store.take([writes], 0)), [8, 3], 'a write')
      equal(leftOf(await store.take([reads], 0)), [7, 299], 'a read')
      equal(leftOf(await store.take([writes, { ...reads, limits: [perMinute(300)] }], 0)), [5, 1, 298], 'both')
      await lives(store, writes, [{ now: 0, cost: 2, allowed: false, left: [5, 1], wait: 12_000 }])
    },
  },
]
