import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Charge,
  createLimiter,
  type Decision,
  type Limit,
  type Limiter,
  type LimiterOptions,
  limit,
  MemoryStore,
  manualClock,
  type Outcome,
  perMinute,
  type Store,
  share,
} from '../../src/index.js'
import { FlapWatch, watchOf } from '../../src/limiter/flap-watch.js'
import { type Asked, burstOf, limiterOf, type Step, take, walk } from './flapping.js'

const tight = perMinute(5)
const loose = perMinute(100)

/** How many of so many asks are let in when these definitions take turns. */
function admitted(limiter: Limiter<Asked>, asks: number, turns: readonly Limit[], more: Partial<Asked> = {}): number {
  let count = 0
  for (let ask = 0; ask < asks; ask++) {
    if (take(limiter, turns[ask % turns.length] as Limit, more).refusal === undefined) count++
  }
  return count
}

describe('two definitions of one name that take turns at one moment', () => {
  test.each([
    { burst: 1, other: 100, tightFirst: 2, looseFirst: 2 },
    { burst: 2, other: 100, tightFirst: 2, looseFirst: 3 },
    { burst: 3, other: 100, tightFirst: 3, looseFirst: 3 },
    { burst: 5, other: 100, tightFirst: 5, looseFirst: 5 },
    { burst: 5, other: 6, tightFirst: 5, looseFirst: 5 },
    { burst: 100, other: 1_000, tightFirst: 100, looseFirst: 100 },
  ])('let in of 2,000 asks what the tighter does: burst $burst against $other', ({ burst, other, ...expected }) => {
    const [one, two] = [perMinute(burst), perMinute(other)]
    const found = {
      tightFirst: admitted(limiterOf().limiter, 2_000, [one, two]),
      looseFirst: admitted(limiterOf().limiter, 2_000, [two, one]),
    }
    expect(found).toEqual(expected)
  })

  test('let in at most the burst of the tighter and one request', () => {
    for (let burst = 1; burst <= 30; burst++) {
      for (let other = burst + 1; other <= burst + 30; other++) {
        for (const turns of [
          [perMinute(burst), perMinute(other)],
          [perMinute(other), perMinute(burst)],
        ]) {
          const { limiter } = limiterOf({ store: new MemoryStore({ maxKeys: 1 }) })
          expect(admitted(limiter, 80, turns)).toBeLessThanOrEqual(burst + 1)
        }
      }
    }
  })

  test('let in requests of a higher cost for at most the burst of the tighter and one of them', () => {
    for (const cost of [2, 3, 4, 5]) {
      for (const turns of [
        [tight, loose],
        [loose, tight],
      ]) {
        const tokens = cost * admitted(limiterOf().limiter, 2_000, turns, { cost })
        expect(tokens).toBeLessThanOrEqual(tight.burst + cost)
      }
    }
  })

  test('give the looser back what it had once, in any order: two changes are felt, the third holds', () => {
    const { limiter } = limiterOf()
    expect(admitted(limiter, 200, [loose])).toBe(100)
    expect(admitted(limiter, 200, [tight])).toBe(0)
    expect(admitted(limiter, 200, [loose])).toBe(95)
    for (let turn = 0; turn < 100; turn++) {
      expect(admitted(limiter, 20, [tight])).toBe(0)
      expect(admitted(limiter, 200, [loose])).toBe(0)
    }
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 1_000 }), (order) => {
        const turns = order.map((isTight) => (isTight ? tight : loose))
        expect(admitted(limiterOf().limiter, turns.length, turns)).toBeLessThanOrEqual(2 * loose.burst - tight.burst)
      }),
      { numRuns: 200, seed: 3 },
    )
  })

  test('let in over ten minutes of an ask each 100 ms what the tighter does', () => {
    const { limiter, clock } = limiterOf()
    let count = 0
    for (let ask = 0; ask < 6_000; ask++) {
      if (take(limiter, ask % 2 === 0 ? tight : loose).refusal === undefined) count++
      clock.advance(100)
    }
    // 5 at once, one each 12 s until 599.9 s, and one that drained while the looser one was asked.
    expect(count).toBe(5 + 49 + 1)
  })

  test('are held where they are of two limiters that share a store, and both are told, once', () => {
    const store = new MemoryStore()
    const clock = manualClock()
    const reads = limiterOf({ store, clock })
    const writes = limiterOf({ store, clock })
    let count = 0
    for (let turn = 0; turn < 1_000; turn++) {
      if (take(reads.limiter, loose).refusal === undefined) count++
      if (take(writes.limiter, tight).refusal === undefined) count++
    }
    expect(count).toBe(5)
    expect([reads.told(), writes.told()]).toEqual([['RAIL_FLAPPING_LIMIT'], ['RAIL_FLAPPING_LIMIT']])
    expect(reads.errors[0]?.message).toBe(
      'Limit "per_minute" of key "acme" changed its definition 3 times within a minute: two routes or limiters seem to ' +
        'define one name differently, each undoing the other. While one process asks for both, the tighter one holds. ' +
        'Give one another name or scope.',
    )
  })

  test('are held in a store that answers later too', async () => {
    const { limiter } = limiterOf({ store: later(new MemoryStore()) })
    let count = 0
    for (let ask = 0; ask < 500; ask++) {
      if ((await limiter.take({ limits: [ask % 2 === 0 ? tight : loose] })).refusal === undefined) count++
    }
    expect(count).toBe(5)
  })

  test('let in of asks under way at once what those do that were sent before the first answer', async () => {
    const { limiter } = limiterOf({ store: later(new MemoryStore()) })
    const together = async (asks: number) => {
      const outcomes = await Promise.all(
        Array.from({ length: asks }, (_, ask) => limiter.take({ limits: [ask % 2 === 0 ? tight : loose] })),
      )
      return outcomes.filter(({ refusal }) => refusal === undefined).length
    }
    // All ten for the looser one, and three for the tighter.
    expect(await together(20)).toBe(13)
    expect(await together(1_000)).toBe(0)
  })
})

describe('what is held', () => {
  /** A limiter whose bucket for `acme` is held to the tighter one, which has been asked for now. */
  function flapping(options: Partial<LimiterOptions<Asked>> = {}) {
    const set = limiterOf(options)
    expect(admitted(set.limiter, 20, [tight, loose])).toBe(5)
    return set
  }

  test('is one bucket: not another key, another scope, or another limit', () => {
    const store = new MemoryStore()
    const { limiter, clock } = flapping({ store })
    expect(admitted(limiter, 200, [loose], { key: 'other' })).toBe(100)
    expect(admitted(limiterOf({ store, clock, scope: 'writes' }).limiter, 200, [loose])).toBe(100)
    const name = 'calls'
    const both = limiter.take({ limits: [perMinute(100, { name }), loose] }) as Outcome
    expect(both.decision?.limits.map((status) => status.limit.burst)).toEqual([100, 5])
    expect(both.decision?.refusedBy).toEqual(['per_minute'])
    expect(admitted(limiter, 200, [perMinute(100, { name })])).toBe(100)
  })

  test('is one bucket of one store', () => {
    const { clock } = flapping()
    expect(admitted(limiterOf({ clock }).limiter, 200, [loose])).toBe(100)
  })

  test('is let go when the tighter one has not been asked for by itself for a minute', () => {
    const { limiter, clock } = flapping()
    for (let ask = 0; ask < 60; ask++) {
      expect(burstOf(take(limiter, loose))).toBe(5)
      clock.advance(1_000)
    }
    expect(burstOf(take(limiter, loose))).toBe(5)
    clock.advance(1)
    expect(burstOf(take(limiter, loose))).toBe(100)
    // It is felt at once, and holds from then on.
    expect(admitted(limiter, 200, [loose])).toBe(94)
    clock.advance(1_000)
    expect(burstOf(take(limiter, loose))).toBe(100)
  })

  test('is held for another minute by each ask for the tighter one', () => {
    const { limiter, clock } = flapping()
    for (let minute = 0; minute < 10; minute++) {
      clock.advance(59_000)
      expect(burstOf(take(limiter, tight))).toBe(5)
      expect(burstOf(take(limiter, loose))).toBe(5)
    }
    clock.advance(60_001)
    expect(burstOf(take(limiter, loose))).toBe(100)
  })

  test('is let go when only the tighter one has been asked for for a minute: a change after that is felt at once', () => {
    const { limiter, clock } = flapping()
    for (let ask = 0; ask <= 60; ask++) {
      expect(burstOf(take(limiter, tight))).toBe(5)
      clock.advance(1_000)
    }
    expect(burstOf(take(limiter, tight))).toBe(5)
    expect(burstOf(take(limiter, loose))).toBe(100)
  })

  test('is held where only the tighter one has been asked for for less', () => {
    const { limiter, clock } = flapping()
    for (let ask = 0; ask < 60; ask++) {
      take(limiter, tight)
      clock.advance(1_000)
    }
    expect(burstOf(take(limiter, loose))).toBe(5)
  })

  test('is held again when they take turns again', () => {
    const { limiter, clock } = flapping()
    clock.advance(60_001)
    expect(admitted(limiter, 1_000, [loose])).toBe(100)
    expect(admitted(limiter, 2_000, [tight, loose])).toBe(1)
    expect(burstOf(take(limiter, loose))).toBe(5)
  })

  test('is let go a minute after the tighter one was last asked for, however it came to be held', () => {
    const { limiter, clock } = limiterOf()
    const wide = perMinute(1_000)
    for (const [at, one] of [
      [0, wide],
      [1_000, tight],
      [20_000, tight],
      [30_000, loose],
      [31_000, wide],
      [79_999, loose],
      [80_000, wide],
    ] as const) {
      clock.set(at)
      take(limiter, one, { cost: 50 })
    }
    expect(burstOf(take(limiter, loose))).toBe(5)
    clock.set(80_001)
    expect(burstOf(take(limiter, loose))).toBe(100)
    // What had changed before does not count any more.
    expect(burstOf(take(limiter, wide))).toBe(1_000)
  })

  test('is held to the tightest of three, and to a tighter one that comes later', () => {
    const { limiter } = limiterOf()
    expect(admitted(limiter, 3_000, [perMinute(50), tight, loose])).toBe(5)
    expect(burstOf(take(limiter, perMinute(50)))).toBe(5)
    expect(burstOf(take(limiter, perMinute(3)))).toBe(3)
    for (const one of [tight, loose, perMinute(50)]) expect(burstOf(take(limiter, one))).toBe(3)
  })

  const name = 'one'
  const second = (burst: number) => limit({ name, tokens: 1, per: '1s', burst })
  test.each([
    ['the slower rate', limit({ name, tokens: 59, per: '1m', burst: 90 }), second(10)],
    ['at one rate the smaller burst', limit({ name, tokens: 60, per: '1m', burst: 9 }), second(10)],
    ['at one rate the smaller burst, of a share too', share(second(20), 2), second(11)],
    ['else what has less room for one request', second(5), share(second(10), 2)],
  ])('the tightest is %s', (_, tighter, looser) => {
    for (const turns of [
      [tighter, looser],
      [looser, tighter],
    ]) {
      const { limiter } = limiterOf()
      admitted(limiter, 20, turns)
      expect(take(limiter, looser).decision?.limits[0]?.limit).toEqual(tighter)
      expect(take(limiter, tighter).decision?.limits[0]?.limit).toBe(tighter)
    }
  })

  test('is what is settled', () => {
    const { limiter, clock } = limiterOf()
    for (const one of [tight, loose, tight]) take(limiter, one).settle(0)
    take(limiter, loose, { cost: 2 })
    for (const one of [tight, loose, tight]) take(limiter, one, { cost: 0 })
    const held = take(limiter, loose, { cost: 2 })
    expect(held.decision?.limits).toMatchObject([{ remaining: 1, limit: tight }])
    held.settle(4)
    expect(take(limiter, tight).decision).toMatchObject({ allowed: false, retryAfterMs: 24_000 })
    clock.advance(24_000)
    expect(take(limiter, loose).decision?.allowed).toBe(true)
  })

  test('is given back by a costlier route, which pays the difference', () => {
    const { limiter } = limiterOf()
    take(limiter, tight)
    for (const one of [loose, tight, loose]) take(limiter, one, { cost: 0 })
    const request = { limits: [loose] }
    expect((limiter.take(request) as Outcome).decision?.limits).toMatchObject([{ remaining: 3, limit: tight }])
    const costly = limiter.with({ cost: 3 }).take(request) as Outcome
    expect(costly.decision?.limits).toMatchObject([{ remaining: 1, limit: tight }])
    expect((limiter.with({ cost: 5 }).take({ limits: [loose] }) as Outcome).refusal).toBeDefined()
    costly.settle(0)
    expect(take(limiter, loose).decision?.limits).toMatchObject([{ remaining: 3 }])
  })

  test('is not asked for by itself where a request carries on with what it was held to', () => {
    const set = limiterOf()
    const { clock } = set
    // The first ask charges the flapping bucket, the second one another: what was taken first is asked again with it.
    const limiter = createLimiter<{ limits: readonly Limit[]; asks: number }>({
      charges: (request) => [{ key: 'acme', limits: request.asks++ === 0 ? request.limits : [other], cost: 1 }],
      clock,
    })
    const other = perMinute(10_000, { name: 'other' })
    const ask = (one: Limit): Outcome => {
      const request = { limits: [one], asks: 0 }
      limiter.take(request)
      return limiter.with({ cost: 1 }).take(request) as Outcome
    }
    for (let turn = 0; turn < 10; turn++) ask(turn % 2 === 0 ? tight : loose)
    for (let second = 0; second < 60; second++) {
      clock.advance(1_000)
      ask(loose)
    }
    clock.advance(1)
    expect(ask(loose).decision?.limits.find((status) => status.limit.name === 'per_minute')?.limit.burst).toBe(100)
  })

  test('is held in several charges, where it is the one that flaps', () => {
    const limiter = createLimiter<{ one: Limit }>({
      charges: ({ one }) => [
        { key: 'client', limits: [perMinute(1_000)], cost: 1 },
        { scope: 'user', key: 'client', limits: [one], cost: 1 },
      ],
      clock: manualClock(),
    })
    let count = 0
    for (let ask = 0; ask < 2_000; ask++) {
      if ((limiter.take({ one: ask % 2 === 0 ? tight : loose }) as Outcome).refusal === undefined) count++
    }
    expect(count).toBe(5)
    const { decision } = limiter.take({ one: loose }) as Outcome
    expect(decision?.limits.map((status) => [status.limit.burst, status.remaining])).toEqual([
      [1_000, 995],
      [5, 0],
    ])
  })

  test('is held where memory stands in for the store, at this server’s share', () => {
    const throwing = new MemoryStore()
    throwing.take = () => {
      throw new Error('gone')
    }
    const { limiter, told } = limiterOf({ store: throwing, onStoreFailure: 'local', servers: 2 })
    expect(admitted(limiter, 2_000, [perMinute(10), perMinute(200)])).toBe(5)
    expect(burstOf(take(limiter, perMinute(200)))).toBe(5)
    expect(told()).toContain('RAIL_FLAPPING_LIMIT')
  })

  test('is no change of the share alone', () => {
    const away = new MemoryStore()
    away.take = () => {
      throw new Error('gone')
    }
    const { limiter, told } = limiterOf({ store: away, onStoreFailure: 'local', servers: 2 })
    for (const one of [tight, loose, loose, loose, tight]) take(limiter, one)
    expect(told()).toEqual(['RAIL_STORE_FAILED'])
  })

  test('stays held when the store goes away', () => {
    const memory = new MemoryStore()
    let away = false
    const store = new Proxy(memory, {
      get: (target, name) => {
        if (away && name === 'take') throw new Error('gone')
        const found = target[name as keyof MemoryStore]
        return typeof found === 'function' ? found.bind(target) : found
      },
    })
    const { limiter } = flapping({ store, onStoreFailure: 'local' })
    away = true
    expect(admitted(limiter, 200, [loose])).toBe(5)
  })

  const flaps = [
    [10_000_000, tight, 5],
    [10_000_000, loose, 100],
    [10_000_000, tight, 5],
  ] as const
  test.each<{ name: string; steps: readonly Step[] }>([
    {
      name: 'at the latest',
      steps: [...flaps, [10_000_000, loose, 5], [1_000, loose, 5], [61_000, loose, 5], [61_001, loose, 100]],
    },
    {
      name: 'where only the tighter one is asked for, too',
      steps: [
        ...flaps,
        [10_000_000, loose, 5],
        [1_000, tight, 5],
        [61_000, tight, 5],
        [61_001, tight, 5],
        [61_001, loose, 100],
      ],
    },
    {
      name: 'though it was held only then',
      steps: [...flaps, [1_000, perMinute(50), 5], [50_000, loose, 5], [61_000, loose, 5], [61_001, loose, 100]],
    },
  ])('is let go a minute after a step back of the clock, $name', ({ steps }) => {
    walk(limiterOf(), steps)
  })

  test('is not what changed long before the clock stepped back', () => {
    const clock = manualClock()
    clock.set(10_000_000)
    const { limiter } = limiterOf({ clock })
    take(limiter, loose, { cost: 100 })
    take(limiter, tight)
    clock.set(0)
    take(limiter, loose)
    for (let second = 0; second <= 61; second++) {
      clock.set(second * 1_000)
      // Another one changes, so that not all is forgotten by itself.
      take(limiter, second % 30 === 0 ? loose : tight, { key: 'other' })
    }
    expect(burstOf(take(limiter, tight))).toBe(5)
    expect(burstOf(take(limiter, loose))).toBe(100)
  })

  test('is held though the clock steps back between the changes', () => {
    const { limiter, clock } = limiterOf()
    for (let ask = 0; ask < 6; ask++) {
      clock.set(10_000_000 - ask * 10_000)
      take(limiter, ask % 2 === 0 ? tight : loose)
    }
    expect(burstOf(take(limiter, loose))).toBe(5)
  })
})

describe('a plan that changes', () => {
  test('is felt at once, forth and back: neither is flapping', () => {
    const { limiter, told } = limiterOf()
    expect(admitted(limiter, 50, [tight])).toBe(5)
    expect(admitted(limiter, 200, [loose])).toBe(95)
    expect(burstOf(take(limiter, tight))).toBe(5)
    expect(admitted(limiter, 50, [tight])).toBe(0)
    expect(told()).toEqual([])
  })

  test('is felt at once however often it changes, where that takes its minutes', () => {
    const { limiter, clock, told } = limiterOf()
    for (let change = 0; change < 20; change++) {
      const one = change % 2 === 0 ? tight : loose
      for (let ask = 0; ask < 30; ask++) {
        expect(burstOf(take(limiter, one))).toBe(one.burst)
        clock.advance(1_001)
      }
    }
    expect(told()).toEqual([])
  })

  test('is held for a minute where it is the third change within one, and then felt by itself', () => {
    const { limiter, clock } = limiterOf()
    for (const one of [loose, tight, loose, tight, loose]) {
      take(limiter, one)
      clock.advance(1_000)
    }
    // The tighter one was last asked for 2 s ago.
    clock.advance(58_000)
    expect(burstOf(take(limiter, loose))).toBe(5)
    clock.advance(1)
    expect(burstOf(take(limiter, loose))).toBe(100)
  })
})

describe('a bucket whose other definition is asked in another process', () => {
  /** A store that other processes use too. */
  function deployed() {
    const store = new MemoryStore()
    const set = limiterOf({ store })
    const elsewhere = (one: Limit) => store.take([{ key: 'acme', limits: [one], cost: 1 }], set.clock())
    return { ...set, elsewhere }
  }

  test.each([
    [tight, loose],
    [loose, tight],
  ])('is never held, and told of once', (here, there) => {
    const { limiter, elsewhere, told } = deployed()
    for (let turn = 0; turn < 1_000; turn++) {
      expect(take(limiter, here).decision?.limits[0]?.limit).toBe(here)
      elsewhere(there)
    }
    expect(told()).toEqual(['RAIL_FLAPPING_LIMIT'])
  })

  test('feels a change of its own at once', () => {
    const { limiter, elsewhere } = deployed()
    for (let turn = 0; turn < 20; turn++) {
      expect(burstOf(take(limiter, tight))).toBe(5)
      elsewhere(loose)
    }
    for (let turn = 0; turn < 20; turn++) {
      expect(burstOf(take(limiter, loose))).toBe(100)
      elsewhere(tight)
    }
  })

  test('is held where both are asked in each of them, in step', () => {
    const { limiter, elsewhere } = deployed()
    let count = 0
    for (let turn = 0; turn < 1_000; turn++) {
      // What was asked last is asked first again, so that the store sees every second change only.
      const turns = turn % 2 === 0 ? [tight, loose] : [loose, tight]
      for (const one of turns) if (take(limiter, one).refusal === undefined) count++
      if (turn < 3) elsewhere(turns[1] as Limit)
    }
    expect(count).toBeLessThanOrEqual(tight.burst + 1)
  })
})

describe('the watch', () => {
  /** A decision in which a bucket of this key was under another definition before. */
  function changed(key: string, name = 'per_minute'): [readonly Charge[], Decision] {
    everywhere.take([{ key, limits: [perMinute(9, { name })], cost: 5 }], 0)
    const charges = [{ key, limits: [perMinute(10, { name })], cost: 1 }]
    return [charges, everywhere.take(charges, 0)]
  }
  const everywhere = new MemoryStore()

  function watched() {
    const watch = new FlapWatch()
    const names: string[] = []
    const tellOnce = (code: string, name: string) => names.push(`${code} ${name}`)
    const look = (now: number, key: string, name?: string) => watch.look(...changed(key, name), now, tellOnce)
    /** The burst that is asked where this one was to be. */
    const ask = (now: number, key: string, burst: number) =>
      watch.hold([{ key, limits: [perMinute(burst)], cost: 1 }], now, tellOnce)[0]?.limits[0]?.burst
    const flap = (now: number, key: string) => {
      look(now, key)
      ask(now, key, 9)
      ask(now, key, 10)
      expect(ask(now, key, 10)).toBe(9)
    }
    return { watch, names, look, ask, flap, tellOnce }
  }

  test('is one for each store', () => {
    const store = new MemoryStore()
    expect(watchOf(store)).toBe(watchOf(store))
    expect(watchOf(store)).not.toBe(watchOf(new MemoryStore()))
  })

  test('leaves charges as they are, the very same, of keys that have no such bucket', () => {
    const { watch, tellOnce, look } = watched()
    const charges = [{ key: 'acme', limits: [loose], cost: 1 }]
    expect(watch.hold(charges, 0, tellOnce)).toBe(charges)
    look(0, 'other')
    expect(watch.hold(charges, 0, tellOnce)).toBe(charges)
    look(0, 'acme', 'another')
    expect(watch.hold(charges, 0, tellOnce)[0]).toBe(charges[0])
  })

  test('tells of three changes within a minute', () => {
    const { look, names } = watched()
    const start = 10_000_000
    for (const now of [0, 60_001, 90_000, 120_002]) look(start + now, 'acme')
    expect(names).toEqual([])
    look(start + 150_000, 'acme')
    expect(names).toEqual(['RAIL_FLAPPING_LIMIT per_minute'])
  })

  test('tells of a third change just a minute after the first', () => {
    const { look, names } = watched()
    for (const now of [0, 1, 60_000]) look(now, 'acme')
    expect(names).toHaveLength(1)
  })

  test('tells of no three buckets that change once', () => {
    const { look, names } = watched()
    look(0, 'a')
    look(0, 'b')
    look(0, 'a', 'other')
    expect(names).toEqual([])
  })

  test('holds a third change just a minute after the first, and none later', () => {
    for (const [third, asked] of [
      [60_000, 9],
      [60_001, 10],
    ] as const) {
      const { look, ask } = watched()
      look(0, 'acme')
      ask(30_000, 'acme', 9)
      expect(ask(third, 'acme', 10)).toBe(asked)
    }
  })

  test('knows 1,000 buckets, and forgets those that have not changed for longest', () => {
    const { look, ask } = watched()
    for (const key of ['early', 'acme', 'late']) look(0, key)
    for (const key of ['acme', 'late', 'early']) ask(0, key, 9)
    for (let key = 0; key < 998; key++) look(0, `other ${key}`)
    expect(['early', 'acme', 'late'].map((key) => ask(0, key, 10))).toEqual([9, 10, 9])
  })

  test('has room for as many as it has forgotten', () => {
    const { look, ask } = watched()
    for (let name = 0; name < 500; name++) look(0, 'many', `name ${name}`)
    for (let key = 0; key < 500; key++) look(0, `first ${key}`)
    for (let key = 0; key < 500; key++) look(0, `second ${key}`)
    ask(0, 'first 0', 9)
    expect(ask(0, 'first 0', 10)).toBe(9)
    // The same where all were forgotten because a minute had passed.
    for (let key = 0; key < 1_000; key++) look(100_000, `third ${key}`)
    ask(200_000, 'anybody', 9)
    for (let key = 0; key < 1_000; key++) look(200_000, `fourth ${key}`)
    ask(200_000, 'fourth 0', 9)
    expect(ask(200_000, 'fourth 0', 10)).toBe(9)
  })

  test('forgets none that is held, whatever else changes', () => {
    const { look, ask, flap } = watched()
    flap(0, 'acme')
    for (let key = 0; key < 5_000; key++) look(0, `other ${key}`)
    expect(ask(0, 'acme', 10)).toBe(9)
  })

  test('holds 1,000 buckets at a time, and has room again a minute later', () => {
    const { look, ask, flap } = watched()
    for (let key = 0; key < 1_000; key++) flap(0, `held ${key}`)
    const turns = (now: number) => {
      look(now, 'late')
      ask(now, 'late', 9)
      return ask(now, 'late', 10)
    }
    expect(turns(1)).toBe(10)
    for (let key = 0; key < 1_000; key++) expect(ask(1, `held ${key}`, 10)).toBe(9)
    // Somebody still asks for one of them, so that the rest is not forgotten by itself.
    ask(60_000, 'held 999', 9)
    expect(turns(60_001)).toBe(9)
  })

  test('knows nothing any more a minute after the last change', () => {
    const { watch, look, ask, tellOnce } = watched()
    look(0, 'acme')
    ask(10_000, 'acme', 9)
    const charges = [{ key: 'acme', limits: [loose], cost: 1 }]
    expect(watch.hold(charges, 70_000, tellOnce)).not.toBe(charges)
    expect(watched().watch.hold(charges, 70_000, tellOnce)).toBe(charges)
    const steppedBack = watched()
    steppedBack.look(10_000_000, 'acme')
    steppedBack.ask(0, 'other', 9)
    expect(steppedBack.watch.hold(charges, 60_000, tellOnce)).not.toBe(charges)
    const further = watched()
    further.look(10_000_000, 'acme')
    further.ask(0, 'other', 9)
    expect(further.watch.hold(charges, 60_001, tellOnce)).toBe(charges)
    const idle = watched()
    idle.look(0, 'acme')
    expect(idle.watch.hold(charges, 60_001, tellOnce)).toBe(charges)
  })
})

/** A store that answers in a later turn. */
function later(store: MemoryStore): Store {
  return {
    take: async (charges, now) => store.take(charges, now),
    peek: async (charges, now) => store.peek(charges, now),
    settle: async (charges, actual, now) => store.settle(charges, actual, now),
    reset: async (key, scope) => store.reset(key, scope),
  }
}
