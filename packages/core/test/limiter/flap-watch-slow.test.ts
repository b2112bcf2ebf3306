import { describe, expect, test } from 'vitest'
import {
  type Charge,
  type Decision,
  type Limit,
  limit,
  MemoryStore,
  type Outcome,
  perDay,
  perHour,
  perMinute,
  perSecond,
  share,
} from '../../src/index.js'
import { FlapWatch } from '../../src/limiter/flap-watch.js'
import { limiterOf, type Step, take, walk } from './flapping.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Turns of this are too slow for the tier of 3 changes within a minute. */
const SLOW = 31_000

const tight = perDay(5)
const loose = perDay(100)

/** One ask for each of so many definitions in turns, from `at` on, each felt. */
const felt = (turns: readonly Limit[], count: number, at = 0, everyMs = SLOW): Step[] =>
  Array.from({ length: count }, (_, turn) => {
    const one = turns[turn % turns.length] as Limit
    return [at + turn * everyMs, one, one.burst]
  })

/** A limiter whose bucket for `acme` is held to the tighter one: which was last asked for a turn ago, the looser at `at`. */
function held(at = 0) {
  const set = limiterOf()
  walk(set, [...felt([loose, tight], 10, at - 10 * SLOW), [at, loose, 5]])
  return set
}

/** How many are let in of an ask each `everyMs`, each for the other one. */
function admitted(turns: readonly Limit[], everyMs: number, totalMs: number): number {
  const { limiter, clock } = limiterOf()
  let count = 0
  for (let turn = 0; turn * everyMs < totalMs; turn++) {
    clock.set(turn * everyMs)
    if (take(limiter, turns[turn % turns.length] as Limit).refusal === undefined) count++
  }
  return count
}

describe('two definitions of one name that take turns slowly', () => {
  test.each([
    // The tighter one by itself lets in 9 in the first window, and 5 in each after it.
    { name: 'a day', limits: [perDay(5), perDay(100)], everyMs: 31_000, first: 12, ten: 57 },
    { name: 'a day', limits: [perDay(5), perDay(100)], everyMs: 61_000, first: 12, ten: 57 },
    { name: 'a day', limits: [perDay(100), perDay(5)], everyMs: 61_000, first: 11, ten: 56 },
    { name: 'an hour', limits: [perHour(5), perHour(100)], everyMs: 25_000, first: 10, ten: 55 },
    { name: 'an hour', limits: [perHour(5), perHour(100)], everyMs: 31_000, first: 14, ten: 59 },
    { name: 'an hour', limits: [perHour(5), perHour(100)], everyMs: 45_000, first: 15, ten: 60 },
    { name: 'an hour', limits: [perHour(5), perHour(100)], everyMs: 61_000, first: 18, ten: 63 },
  ])('let in about what the tighter does: $name, each $everyMs ms', ({ limits, everyMs, first, ten }) => {
    const windowMs = limits[0]?.windowMs as number
    const found = [admitted(limits, everyMs, windowMs), admitted(limits, everyMs, 10 * windowMs)]
    expect(found).toEqual([first, ten])
  })

  test('let in at most five bursts of the looser, and from then on what the tighter does', () => {
    const { limiter, clock } = limiterOf()
    const days: number[] = []
    for (let day = 0; day < 3; day++) {
      let count = 0
      for (let turn = 0; turn < DAY / (2 * MINUTE); turn++) {
        clock.set(day * DAY + turn * 2 * MINUTE)
        const [one, asks] = turn % 2 === 0 ? ([tight, 5] as const) : ([loose, 95] as const)
        for (let ask = 0; ask < asks; ask++) if (take(limiter, one).refusal === undefined) count++
      }
      days.push(count)
    }
    expect(days).toEqual([5 + 5 * 95 + 4, 5, 5])
  })

  test('let in no more where each few turns are quick, and held for a minute', () => {
    const { limiter, clock } = limiterOf()
    let count = 0
    for (let cycle = 0; cycle < 200; cycle++) {
      clock.set(cycle * 61_000)
      for (const one of [loose, tight, loose, tight]) {
        for (let ask = 0; ask < 100; ask++) if (take(limiter, one).refusal === undefined) count++
      }
    }
    expect(count).toBeGreaterThan(loose.burst)
    expect(count).toBeLessThan(6 * loose.burst)
  })
})

describe('the tenth change', () => {
  test('is held: the ninth is felt', () => {
    walk(limiterOf(), [...felt([tight, loose], 10), [10 * SLOW, tight, 5], [11 * SLOW, loose, 5]])
  })

  test('is held itself, not only the eleventh', () => {
    walk(limiterOf(), [...felt([loose, tight], 10), [10 * SLOW, loose, 5]])
  })

  test.each([
    { after: DAY, burst: 5 },
    { after: DAY + 1, burst: 100 },
  ])('is held where it comes within the longest window of the first: $after ms', ({ after, burst }) => {
    const before: Step[] = [[0, loose, 100], ...felt([tight, loose], 1), ...felt([loose, tight], 8, HOUR)]
    walk(limiterOf(), [...before, [after, loose, burst]])
  })

  test('is counted from the latest ten: older ones are forgotten one by one', () => {
    const before: Step[] = [[0, loose, 100], ...felt([tight, loose], 1), ...felt([loose, tight], 8, HOUR)]
    walk(limiterOf(), [...before, [DAY + 1, loose, 100], [DAY + SLOW, tight, 5], [DAY + 2 * SLOW, loose, 5]])
  })

  const name = 'calls'
  const [five, ten] = [perHour(5, { name }), perHour(10, { name })]
  const long = perDay(1_000, { name })
  test.each([{ place: 0, burst: 10 }, ...[1, 2, 5, 9, 10].map((place) => ({ place, burst: 5 }))])(
    'of ten in an hour and a half is held where one of them is of a day: that at $place',
    ({ place, burst }) => {
      const steps = Array.from({ length: 10 }, (_, index): Step => {
        const one = index + 1 === place ? long : index % 2 === 0 ? five : ten
        return [index * 10 * MINUTE, one, index === 9 ? burst : one.burst]
      })
      walk(limiterOf(), [[0, ten, 10], ...steps])
    },
  )

  test('is not held within the window of a definition that is none of the ten', () => {
    walk(limiterOf(), [
      [0, ten, 10],
      [0, long, 1_000],
      ...felt([ten, five], 8, HOUR, 10 * MINUTE),
      // The tenth from the long one on, more than a day after it, and the tenth from the next one on, less than a day after.
      [DAY + 1, ten, 10],
      [DAY + 10 * MINUTE, five, 5],
      [DAY + 20 * MINUTE, ten, 10],
    ])
  })

  test('is one of this bucket, not of a limit of another name', () => {
    const { limiter, clock } = limiterOf()
    const ask = (limits: readonly Limit[]) => (limiter.take({ limits }) as Outcome).decision?.limits
    for (let turn = 0; turn < 40; turn++) {
      clock.set(turn * SLOW)
      const isTight = turn % 2 === 0
      const found = ask([isTight ? tight : loose, perMinute(isTight ? 5 : 100)])
      expect(found?.map((status) => status.limit.burst)).toEqual([isTight || turn > 9 ? 5 : 100, isTight ? 5 : 100])
    }
  })

  test('is none of shares of one limit, however often servers come and go', () => {
    const set = limiterOf()
    walk(set, felt([share(loose, 4), share(loose, 5), loose, share(loose, 2)], 40))
    expect(set.told()).toEqual([])
  })

  test('is none of shares that change within a minute, which are not told of either', () => {
    const set = limiterOf()
    walk(set, felt([share(loose, 4), share(loose, 5), loose], 40, 0, 1))
    expect(set.told()).toEqual([])
  })

  test('is not reached by the few changes of a plan in a day, which are felt at once', () => {
    const set = limiterOf()
    walk(set, felt([loose, perDay(50), tight], 100, 0, 3 * HOUR))
    expect(set.told()).toEqual([])
  })
})

describe('what is held', () => {
  test('is let go when the tighter one has not been asked for by itself for the longest window', () => {
    const asked: Step[] = Array.from({ length: 24 }, (_, hour) => [hour * HOUR, loose, 5])
    walk(held(), [...asked, [DAY - SLOW, loose, 5], [DAY - SLOW + 1, loose, 100]])
  })

  test('is held for another window by each ask for the tighter one', () => {
    const asked = Array.from({ length: 10 }, (_, day): Step[] => [
      [(day + 1) * (DAY - MINUTE), tight, 5],
      [(day + 1) * (DAY - MINUTE), loose, 5],
    ])
    const last = 10 * (DAY - MINUTE)
    walk(held(), [...asked.flat(), [last + DAY, loose, 5], [last + 2 * DAY + 1, loose, 100]])
  })

  test('is let go when only the tighter one has been asked for for the longest window', () => {
    const asked: Step[] = Array.from({ length: 24 }, (_, hour) => [hour * HOUR, tight, 5])
    walk(held(), [...asked, [DAY, tight, 5], [DAY + 1, tight, 5], [DAY + 1, loose, 100]])
    walk(held(), [...asked, [DAY, tight, 5], [DAY, loose, 5]])
  })

  test('is counted anew once it is let go', () => {
    const three = perDay(3)
    walk(limiterOf(), [
      [0, loose, 100],
      [0, three, 3],
      ...felt([loose, tight], 8, DAY - 8 * SLOW),
      // The tenth change. The tightest was last asked for at 0.
      [DAY, loose, 3],
      [DAY + 1, tight, 5],
      ...felt([loose, tight], 8, DAY + 1 + SLOW),
      [DAY + 1 + 9 * SLOW, loose, 5],
    ])
  })

  test('is held to the tightest of the ten, and to a tighter one that comes later', () => {
    const set = limiterOf()
    walk(set, [[0, loose, 100], ...felt([tight], 1), ...felt([perDay(50), loose], 8, SLOW), [9 * SLOW, perDay(50), 5]])
    walk(set, [
      [10 * SLOW, perDay(3), 3],
      [11 * SLOW, tight, 3],
      [12 * SLOW, loose, 3],
    ])
  })

  const quick: readonly Step[] = [
    [0, loose, 100],
    [1, tight, 5],
    [2, loose, 100],
    [3, tight, 5],
  ]

  test('of three changes within a minute is let go a minute later, though its window is a day', () => {
    walk(limiterOf(), [...quick, [4, loose, 5], [MINUTE + 3, loose, 5], [MINUTE + 4, loose, 100]])
  })

  test('of three changes within a minute is held again by the tenth, where the turns go on slowly', () => {
    const set = limiterOf()
    // The fourth change to the ninth.
    walk(set, [...quick, ...felt([loose, tight], 6, 2 * MINUTE)])
    walk(set, [
      [2 * MINUTE + 6 * SLOW, loose, 5],
      [HOUR, loose, 5],
    ])
  })

  test('does not count: what changes while a bucket is held for a minute is not felt', () => {
    const set = limiterOf()
    const turns = Array.from({ length: 40 }, (_, turn): Step => [4 + turn, turn % 2 === 0 ? loose : tight, 5])
    walk(set, [...quick, ...turns, ...felt([loose, tight], 6, 2 * MINUTE)])
    walk(set, [[2 * MINUTE + 6 * SLOW, loose, 5]])
  })

  test('is held for the longer, where the tenth change is the third within a minute', () => {
    const eighth = 8 * SLOW
    walk(limiterOf(), [...felt([loose, tight], 9), [eighth + 1, tight, 5], [eighth + 2, loose, 5], [HOUR, loose, 5]])
  })

  test('is let go at the latest the window after a step back of the clock, and not before', () => {
    const set = held(100 * DAY)
    walk(set, [[1_000, loose, 5]])
    // A limit of a minute changes in the same store.
    for (const at of [2_000, 3_000]) {
      set.clock.set(at)
      for (const one of [perMinute(5), perMinute(100)]) take(set.limiter, one, { key: 'other' })
    }
    walk(set, [
      [HOUR, loose, 5],
      [1_000 + DAY, loose, 5],
      [1_001 + DAY, loose, 100],
    ])
  })

  test('is held for no longer than the window where the clock steps back between the changes', () => {
    walk(limiterOf(), [
      ...felt([loose, tight], 10, 100 * DAY),
      [50 * DAY, loose, 5],
      [51 * DAY, loose, 5],
      [51 * DAY + 1, loose, 100],
    ])
  })
})

describe('what is told', () => {
  const message = (often: string): string =>
    `Limit "calls" of key "acme" changed its definition ${often}: two routes or limiters seem to define one name ` +
    'differently, each undoing the other. While one process asks for both, the tighter one holds. Give one another ' +
    'name or scope.'
  const perWindow = (per: '1h' | '1d' | '36h' | '10m', burst: number) =>
    limit({ name: 'calls', tokens: burst, per, burst })

  test.each([
    { per: '1d', everyMs: 1, often: '3 times within a minute' },
    { per: '1d', everyMs: SLOW, often: '10 times within a day' },
    { per: '1h', everyMs: SLOW, often: '10 times within an hour' },
    { per: '36h', everyMs: SLOW, often: '10 times within 36 hours' },
    { per: '10m', everyMs: SLOW, often: '10 times within 10 minutes' },
  ] as const)(
    'is how often definitions changed, once: of $per, each $everyMs ms, $often',
    ({ per, everyMs, often }) => {
      const { limiter, clock, errors } = limiterOf()
      for (let turn = 0; turn < 40; turn++) {
        clock.set(turn * everyMs)
        take(limiter, perWindow(per, turn % 2 === 0 ? 5 : 100))
      }
      expect(errors.map((error) => error.message)).toEqual([message(often)])
    },
  )

  test('is of the tenth change, and not again where one within a minute was told of', () => {
    const set = limiterOf()
    walk(set, felt([tight, loose], 10))
    expect(set.told()).toEqual([])
    walk(set, [[10 * SLOW, tight, 5]])
    expect(set.told()).toEqual(['RAIL_FLAPPING_LIMIT'])
    const quick = limiterOf()
    for (const one of [tight, loose, tight, loose]) take(quick.limiter, one)
    walk(quick, [...felt([tight, loose], 6, 2 * MINUTE), [HOUR, tight, 5], [HOUR, loose, 5]])
    expect(quick.told()).toEqual(['RAIL_FLAPPING_LIMIT'])
  })

  test.each([tight, share(perDay(10), 2)])(
    'is of definitions that are asked in another process too, which holds nothing',
    (here) => {
      const store = new MemoryStore()
      const set = limiterOf({ store })
      for (let turn = 0; turn <= 40; turn++) {
        expect(set.told()).toEqual(turn <= 10 ? [] : ['RAIL_FLAPPING_LIMIT'])
        walk(set, [[turn * SLOW, here, 5]])
        store.take([{ key: 'acme', limits: [loose], cost: 1 }], set.clock())
      }
    },
  )
})

describe('the watch', () => {
  const tellOnce = (): void => {}
  const other = [{ key: 'other', limits: [loose], cost: 1 }]
  const store = new MemoryStore()

  /** A decision in which a bucket of this key was under another definition before. */
  function changed(key: string, per: (tokens: number) => Limit): [readonly Charge[], Decision] {
    store.reset(key)
    store.take([{ key, limits: [per(5)], cost: 5 }], 0)
    const charges = [{ key, limits: [per(100)], cost: 1 }]
    return [charges, store.take(charges, 0)]
  }

  function watched() {
    const watch = new FlapWatch()
    const look = (now: number, key: string, per = perDay) => watch.look(...changed(key, per), now, tellOnce)
    const ask = (now: number, key: string, one: Limit) =>
      watch.hold([{ key, limits: [one], cost: 1 }], now, tellOnce)[0]?.limits[0]?.burst
    /** Ten changes, the last at `now`. */
    const flap = (now: number, key: string) => {
      look(now - 9 * SLOW, key)
      for (let turn = 8; turn >= 0; turn--) ask(now - turn * SLOW, key, turn % 2 === 0 ? tight : loose)
      expect(ask(now, key, loose)).toBe(5)
    }
    /** Whether anything is known of `acme`, whose charges are then made anew. */
    const knows = (now: number, key = 'acme') => {
      const charges = [{ key, limits: [loose], cost: 1 }]
      return watch.hold(charges, now, tellOnce) !== charges
    }
    return { watch, look, ask, flap, knows }
  }

  test.each([
    { name: 'a day', per: perDay, windowMs: DAY },
    { name: 'a minute', per: perMinute, windowMs: MINUTE },
    { name: 'a minute', per: perSecond, windowMs: MINUTE },
  ])('knows nothing any more $name after the last change, whatever is asked since', ({ per, windowMs }) => {
    for (const [at, known] of [
      [windowMs, true],
      [windowMs + 1, false],
    ] as const) {
      const idle = watched()
      idle.look(10 * DAY, 'acme', per)
      idle.ask(10 * DAY + 1_000, 'acme', per(100))
      expect(idle.knows(10 * DAY + at)).toBe(known)
      const steppedBack = watched()
      steppedBack.look(10 * DAY, 'acme', per)
      steppedBack.watch.hold(other, 0, tellOnce)
      expect(steppedBack.knows(at)).toBe(known)
    }
  })

  test('forgets after a minute again what changes within minutes, once it has forgotten the days', () => {
    const { watch, look, knows } = watched()
    look(0, 'acme')
    watch.hold(other, DAY + 1, tellOnce)
    look(10 * DAY, 'acme', perMinute)
    watch.hold(other, 5 * DAY, tellOnce)
    expect(knows(5 * DAY + MINUTE + 1)).toBe(false)
  })

  test('lets a limit of a minute go after a minute where one of a day is watched too', () => {
    const { look, ask } = watched()
    look(0, 'acme')
    look(0, 'minutes', perMinute)
    expect([perMinute(5), perMinute(100)].map((one) => ask(0, 'minutes', one))).toEqual([5, 5])
    expect(ask(MINUTE, 'minutes', perMinute(100))).toBe(5)
    expect(ask(MINUTE + 1, 'minutes', perMinute(100))).toBe(100)
  })

  test('forgets none that is held for a day, whatever else changes, and at whatever time of it', () => {
    const { look, ask, flap } = watched()
    flap(0, 'acme')
    for (let key = 0; key < 3_000; key++) look(key * 20_000, `other ${key}`)
    expect(ask(3_000 * 20_000, 'acme', loose)).toBe(5)
  })

  test('makes room of what changed once for what changes later', () => {
    const { look, ask, flap } = watched()
    look(0, 'first')
    for (let key = 0; key < 1_000; key++) look(HOUR, `other ${key}`)
    flap(2 * HOUR, 'acme')
    for (let key = 1; key < 999; key++) look(3 * HOUR, `later ${key}`)
    // What has been forgotten begins anew: these two are its first changes.
    expect([tight, loose].map((one) => ask(3 * HOUR, 'first', one))).toEqual([5, 100])
    expect(ask(3 * HOUR, 'acme', loose)).toBe(5)
  })
})
