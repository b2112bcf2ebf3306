import { perHour, perMinute, perSecond } from '@rail/core'
import { charge, equal, leftOf, lives, type StoreCheck, shows } from './tools.js'

const large = perSecond(1, { burst: 10 })
const small = perSecond(1, { burst: 2 })

/** Peek, reset, decisions, and takes at the same time. */
export const PEEKING: readonly StoreCheck[] = [
  {
    name: 'peek returns what take would, and takes nothing',
    check: async (store) => {
      const request = charge([large, perMinute(60)], { cost: 4 })
      for (let round = 0; round < 5; round++) {
        const peeked = await store.peek([request], round * 100)
        equal(await store.peek([request], round * 100), peeked, `a second peek of round ${round}`)
        equal(await store.take([request], round * 100), peeked, `the take of round ${round}`)
      }
    },
  },
  {
    name: 'peek keeps nothing: neither the moment, nor a step back, nor a changed limit',
    check: async (store) => {
      await lives(store, charge(large), [{ now: 100_000, cost: 10, allowed: true }])
      await shows(store, charge(small), [
        { now: 100_000, allowed: false, left: [0], wait: 1_000, full: [2_000] },
        { now: 109_000, allowed: true, left: [0], full: [2_000] },
        { now: 1_000, allowed: false, wait: 1_000 },
      ])
      await shows(store, charge(large), [
        { now: 100_000, cost: 0, allowed: true, left: [0], full: [10_000] },
        { now: 1_000, cost: 0, allowed: true, left: [0], full: [10_000] },
        { now: 100_000, cost: 0, allowed: true, left: [0], full: [10_000] },
      ])
      await lives(store, charge(perHour(1), { key: 'other' }), [{ now: 0, allowed: true }])
      await shows(store, charge(perHour(1), { key: 'other' }), [
        { now: 70_000, allowed: false, wait: 3_530_000 },
        { now: 5_000, allowed: false, wait: 3_595_000 },
      ])
    },
  },
  {
    name: 'reset fills the buckets of a key in one scope, "" by default, and no others',
    check: async (store) => {
      const request = [undefined, 'writes'].flatMap((scope) =>
        ['customer', 'other'].map((key) => charge([large, perMinute(60)], { key, scope, cost: 10 })),
      )
      const left = async () =>
        Promise.all(request.map(async (each) => (await store.peek([{ ...each, cost: 0 }], 0)).limits[0]?.remaining))
      for (const each of request) await store.take([each], 0)
      equal(await left(), [0, 0, 0, 0], 'left before')
      await store.reset('customer')
      equal(await left(), [10, 0, 0, 0], 'left after a reset')
      await store.reset('other', 'writes')
      equal(await left(), [10, 0, 0, 10], 'left after a reset in a scope')
      await store.reset('a new customer')
      await shows(store, charge([large, perMinute(60)]), [
        { now: 0, cost: 0, allowed: true, left: [10, 60], full: [0, 0] },
      ])
    },
  },
  {
    name: 'reset takes a key as it is: it is no pattern',
    check: async (store) => {
      const keys = ['*', 'a*', '?', '[a-z]', 'a', 'aa', '%', '.*', 'a:b']
      for (const key of keys) await store.take([charge(large, { key, cost: 10 })], 0)
      const left = async () =>
        Promise.all(keys.map(async (key) => leftOf(await store.peek([charge(large, { key, cost: 0 })], 0))[0]))
      for (const [index, key] of keys.entries()) {
        await store.reset(key)
        equal(
          await left(),
          keys.map((_, other) => (other <= index ? 10 : 0)),
          `left after a reset of ${key}`,
        )
      }
    },
  },
  {
    name: 'a decision stays as it was, whatever happens to its buckets',
    check: async (store) => {
      const request = charge([large, perMinute(60)], { cost: 6 })
      const decisions = [await store.take([request], 0), await store.take([request], 0), await store.peek([request], 0)]
      const before = structuredClone(decisions)
      await store.settle([request], 9, 100)
      await store.take([charge([small, perMinute(30)], { cost: 1 })], 9_000)
      await store.take([request], 20_000)
      await store.reset('customer')
      await store.take([request], 20_000)
      equal(structuredClone(decisions), before, 'decisions')
    },
  },
  {
    name: 'takes that are made at once are allowed exactly up to the limit',
    check: async (store) => {
      const request = charge([perMinute(50), perMinute(1_000, { name: 'wide' })])
      const decisions = await Promise.all(Array.from({ length: 200 }, async () => store.take([request], 0)))
      equal(decisions.filter((decision) => decision.allowed).length, 50, 'allowed')
      const left = decisions.flatMap(({ allowed, limits }) => (allowed ? [limits[1]?.remaining ?? -1] : []))
      equal(
        left.toSorted((a, b) => a - b),
        Array.from({ length: 50 }, (_, index) => 950 + index),
        'left, each once',
      )
      await shows(store, request, [{ now: 0, cost: 0, allowed: true, left: [0, 950] }])
    },
  },
]
