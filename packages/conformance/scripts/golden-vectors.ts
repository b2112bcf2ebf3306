import { type Limit, limit, perDay, perMinute, perSecond, share } from '@rail/core'
import fc from 'fast-check'
import { program, vectorOf } from '../src/vectors/programs.js'
import { VectorRecorder } from '../src/vectors/vector-recorder.js'
import type { Vector, VectorCharge } from '../src/vectors/vectors.js'

const LARGEST = Number.MAX_SAFE_INTEGER

function recorded(name: string, limits: Record<string, Limit>, life: (recorder: VectorRecorder) => void): Vector {
  const recorder = new VectorRecorder(name, limits)
  life(recorder)
  return recorder.vector
}

function charge(limits: string | readonly string[], cost: number, more: Partial<VectorCharge> = {}): VectorCharge {
  return { scope: '', key: 'customer', limits: typeof limits === 'string' ? [limits] : limits, cost, ...more }
}

/** Takes each cost in turn, the first at `start`, each of the others when the wait before it is over. */
function waitedOff(
  recorder: VectorRecorder,
  limits: readonly string[],
  costs: readonly number[],
  start: number,
): number {
  let now = start
  for (const cost of costs) {
    const { allowed, wait } = recorder.take([charge(limits, cost)], now)
    if (allowed || wait === null) continue
    now += wait
    recorder.take([charge(limits, cost)], now)
  }
  return now
}

/** The golden vectors: the specification at its edges, and programs drawn at random. */
export function goldenVectors(): Vector[] {
  return [...scripted(), ...drawn()]
}

function drawn(): Vector[] {
  const programs = fc.sample(program(24), { seed: 20_261_129, numRuns: 400 })
  // Some have little in them; the longest are kept.
  const vectors = programs.map((each, index) => vectorOf(`drawn program ${index + 1}`, each))
  return vectors.toSorted((a, b) => b.steps.length - a.steps.length).slice(0, 12)
}

function scripted(): Vector[] {
  return [
    recorded('1 per second with bursts of 10', { a: perSecond(1, { burst: 10 }) }, (recorder) => {
      for (const now of [...Array.from({ length: 10 }, () => 0), 400, 999, 1_000, 1_000])
        recorder.take([charge('a', 1)], now)
    }),
    recorded('10 per second and 300 per minute', { a: perSecond(10), b: perMinute(300) }, (recorder) => {
      for (let request = 0; request < 88; request++)
        recorder.take([charge(['a', 'b'], 1)], Math.floor(request / 10) * 1_000)
      for (const cost of [2, 3, 1]) recorder.take([charge(['a', 'b'], cost)], 8_000)
    }),
    recorded('100 per minute, after an idle hour', { a: perMinute(100) }, (recorder) => {
      recorder.take([charge('a', 1)], 0)
      for (let request = 0; request < 104; request++) recorder.take([charge('a', 1)], 3_600_000 + 7 * request)
    }),
    ...[
      perSecond(7),
      limit({ name: 'odd', tokens: 11, per: '13s' }),
      perDay(999_983),
      limit({ name: 'rare', tokens: 1, per: '30d' }),
    ].map((each) =>
      recorded(`waits of ${each.tokens} per ${each.windowMs} ms`, { a: each }, (recorder) => {
        const { burst } = each
        waitedOff(
          recorder,
          ['a'],
          [burst, 1, Math.ceil(burst / 3), burst, 1, 1, Math.ceil(burst / 2), burst],
          1_000_003,
        )
      }),
    ),
    recorded(
      'a share of 10 per second on 4 servers',
      { a: share(perSecond(10), 4), b: share(perSecond(1), 40) },
      (recorder) => {
        waitedOff(recorder, ['a'], [10, 1, 3, 4, 10, 11, 1], 0)
        waitedOff(recorder, ['b'], [1, 1, 2], 0)
      },
    ),
    recorded('steps of the clock', { a: perSecond(1, { burst: 10 }), b: perSecond(3, { name: 'b' }) }, (recorder) => {
      const moments = [
        100_000, 70_000, 100_000, 40_000, 39_999, 40_500, 100_500, 40_499, 40_999, 41_000, -20_000, -19_000, 200_000,
      ]
      for (const now of moments) for (const cost of [2, 5]) recorder.take([charge(['a', 'b'], Math.min(cost, 3))], now)
      recorder.take([charge(['b', 'a'], 3, { scope: 'apart' })], 150_000)
      recorder.take([charge('a', 10, { scope: 'apart' })], 149_000)
    }),
    ...sizes(),
    ...changes(),
    ...debts(),
  ]
}

/** Buckets whose size is near 2^53 - 1 grains. */
function sizes(): Vector[] {
  const day = limit({ name: 'day', tokens: 999_983, per: '1d', burst: 104_249_990 })
  const slow = limit({ name: 'slow', tokens: 1, per: LARGEST, burst: 1 })
  const fast = limit({ name: 'fast', tokens: 999_999_999_999_999, per: 1 })
  const odd = limit({ name: 'odd', tokens: 999_999_999_999_989, per: 9, burst: 999_999_999_999_999 })
  const fine = limit({ name: 'fine', tokens: 94_906_267, per: 94_906_266, burst: 94_906_265 })
  return [
    recorded('a bucket of 104,249,990 at 999,983 per day', { a: day }, (recorder) => {
      waitedOff(recorder, ['a'], [day.burst, 1, 999_983, 52_124_995, day.burst, day.burst + 1], 1_796_000_000_000)
    }),
    recorded('a window of 2^53 - 1 milliseconds', { a: slow }, (recorder) => {
      for (const now of [0, 1, LARGEST - 1, LARGEST]) recorder.take([charge('a', 1)], now)
      recorder.take([charge('a', 2)], LARGEST)
    }),
    recorded('10^15 - 1 tokens a millisecond', { a: fast, b: odd }, (recorder) => {
      let now = 0
      for (const cost of [fast.burst, 1, fast.burst, fast.burst - 1, 2, 333_333_333_333_333]) {
        recorder.take([charge(['a', 'b'], cost)], now)
        recorder.take([charge(['b', 'a'], cost)], ++now)
      }
    }),
    recorded('neighbouring whole numbers as tokens, window and burst', { a: fine }, (recorder) => {
      waitedOff(recorder, ['a'], [fine.burst, 1, 2, 47_453_133, fine.burst - 1, fine.burst], 999_999_999_999)
    }),
    recorded(
      'shares of the largest limits',
      { a: share(day, 3), b: share(fast, 7), c: share(odd, 1_000_000), d: share(slow, 2) },
      (recorder) => {
        for (const [id, whole] of [
          ['a', day],
          ['b', fast],
          ['c', odd],
          ['d', slow],
        ] as const) {
          for (const cost of [whole.burst, 1, whole.burst + 1]) recorder.take([charge(id, cost)], 7)
        }
        recorder.take([charge(['a', 'b', 'c'], 1_000_000)], 86_400_007)
      },
    ),
  ]
}

/** Limits that change under their buckets; what is owed times the new grains passes 53 bits, and 64. */
function changes(): Vector[] {
  const named = (tokens: number, per: number, burst: number) => limit({ name: 'plan', tokens, per, burst })
  const plans = {
    a: named(999_983, 86_400_000, 104_249_990),
    b: named(11, 13_000, 692861481133),
    c: named(1, LARGEST, 1),
    d: named(999_999_999_999_989, 9, 999_999_999_999_999),
    e: named(94_906_267, 94_906_266, 94_906_265),
    f: named(1, 1, 1),
    g: named(7, 1_000, 5),
    h: share(named(999_983, 86_400_000, 104_249_990), 3),
    i: named(1_000, 7, 20),
  }
  const ids = Object.keys(plans) as (keyof typeof plans)[]
  return [
    ...ids.map((from) =>
      recorded(
        `what is owed under ${plans[from].tokens} per ${plans[from].windowMs} ms, in every other plan`,
        plans,
        (recorder) => {
          const { burst } = plans[from]
          for (const to of ids.filter((id) => id !== from)) {
            for (const part of [Math.ceil(burst / 3), burst]) {
              const key = `${to} ${part}`
              recorder.take([charge(from, part, { key })], 1_000)
              recorder.peek([charge(to, 0, { key })], 1_000)
              recorder.take([charge(to, 1, { key })], 1_001)
              recorder.peek([charge(from, 0, { key })], 1_001)
            }
          }
        },
      ),
    ),
    carriedOverInDoubles(),
    ...cutOff(plans),
    recorded('plans that change and change back', plans, (recorder) => {
      let now = 0
      for (const to of ['g', 'i', 'a', 'h', 'a', 'e', 'g', 'f', 'i', 'b', 'd', 'g', 'c', 'g'] as const) {
        recorder.take([charge(to, plans[to].burst)], now)
        recorder.take([charge(to, 1)], now)
        now += 3
      }
    }),
  ]
}

/** What a smaller definition cannot show: kept, drained, taken, given back, and counted again as far as the size grows. */
function cutOff(plans: Record<string, Limit>): Vector[] {
  const named = (tokens: number, burst: number, per: number) => limit({ name: 'plan', tokens, per, burst })
  const sizes = {
    a: named(100, 100, 60_000),
    b: named(5, 5, 60_000),
    c: named(11, 40, 13_000),
    d: share(named(100, 100, 60_000), 7),
  }
  const least = named(1, 1, LARGEST)
  return [
    recorded('lowered, raised in part, and raised again', sizes, (recorder) => {
      let now = 0
      for (const [to, wait, cost] of [
        ['a', 0, 95],
        ['b', 0, 1],
        ['a', 0, 0],
        ['b', 30_000, 1],
        ['b', 1, 0],
        ['c', 0, 0],
        ['d', 4_001, 3],
        ['a', 0, 1],
        ['d', 0, 90],
        ['b', 61_000, 2],
        ['c', 500, 6],
        ['b', 0, 0],
        ['b', 60_000, 5],
        ['b', 90_000, 4],
        ['a', 0, 7],
        ['c', -70_000, 0],
        ['b', -100, 0],
        ['a', 200, 1],
        ['b', 9_000_000, 0],
        ['a', 0, 0],
      ] as const) {
        now += wait
        recorder.take([charge(to, cost)], now)
      }
    }),
    recorded('what is given back and settled after a limit was lowered', sizes, (recorder) => {
      const [charged, other] = [[charge('a', 90)], [charge('c', 3, { key: 'other' })]]
      recorder.take(charged, 0)
      recorder.take([charge('b', 0)], 0)
      recorder.settle(charged, 88, 1)
      recorder.peek([charge('b', 1)], 1)
      recorder.settle(charged, 50, 2)
      recorder.peek([charge('b', 1)], 2)
      recorder.peek([charge('a', 1)], 2)
      recorder.settle(charged, 130, 3)
      recorder.peek([charge('b', 1)], 3)
      recorder.take([charge('c', 2)], 4, charged)
      recorder.take([...other], 5, [charge('c', 2)])
      recorder.peek([charge('a', 1)], 5)
    }),
    recorded('what is cut off ends at 2^53 - 1 grains in all', { ...plans, z: least }, (recorder) => {
      recorder.take([charge('a', 104_249_990)], 0)
      recorder.settle([charge('a', 0)], LARGEST, 0)
      recorder.take([charge('f', 0)], 0)
      recorder.settle([charge('f', 0)], 1_000, 0)
      recorder.take([charge('z', 0)], 0)
      recorder.take([charge('g', 0)], 0)
      recorder.take([charge('a', 0)], 0)
      recorder.take([charge('b', 0)], 86_400_000)
    }),
  ]
}

/** Buckets that are carried over, where a product in doubles, rounded twice, is another whole number. */
function carriedOverInDoubles(): Vector {
  const limits = {
    a: limit({ name: 'plan', tokens: 1, per: 94_906_249, burst: 94_906_265 }),
    b: limit({ name: 'plan', tokens: 1, per: 10_000_019, burst: 900_000_000 }),
  }
  return recorded('what is carried over, in products that doubles round', limits, (recorder) => {
    recorder.take([charge('a', limits.a.burst)], 0)
    let found = 0
    for (let now = 1; found < 12; now++) {
      const owed = limits.a.size - now
      const [from, to] = [BigInt(limits.a.grain), BigInt(limits.b.grain)]
      const exact = (BigInt(owed) * to + from - 1n) / from
      if (Math.ceil((owed * limits.b.grain) / limits.a.grain) === Number(exact)) continue
      found++
      recorder.peek([charge('b', 0)], now)
    }
  })
}

/** Debts, which end at 2^53 - 1 grains. */
function debts(): Vector[] {
  const limits = {
    a: perSecond(10),
    b: limit({ name: 'odd', tokens: 11, per: '13s' }),
    c: limit({ name: 'flood', tokens: 999_999_999_999_999, per: 1 }),
    d: perSecond(5, { counts: 'requests', name: 'requests' }),
    e: share(limit({ name: 'day', tokens: 999_983, per: '1d', burst: 104_249_990 }), 1_000),
    f: limit({ name: 'odd', tokens: 7, per: 999_983, burst: 20 }),
  }
  return [
    recorded('a settle of 2^53 - 1 tokens', limits, (recorder) => {
      for (const id of ['a', 'b', 'c', 'd'] as const) {
        const charged = [charge(id, 3)]
        recorder.take(charged, 0)
        recorder.settle(charged, LARGEST, 0)
        recorder.peek([charge(id, 1)], 0)
        recorder.settle(charged, LARGEST, 0)
        recorder.peek([charge(id, 1)], 12_345)
        recorder.settle([charge(id, LARGEST)], 0, 12_345)
        recorder.take([charge(id, 1)], 12_345)
      }
    }),
    recorded('debts that end at 2^53 - 1 grains, and drain from there', limits, (recorder) => {
      const charged = [charge('e', 1)]
      for (let round = 0; round < 4; round++) {
        recorder.take(charged, round)
        recorder.settle(charged, 104_249_990 * (round + 1), round)
        recorder.take([charge('e', 1)], round)
      }
      recorder.take([charge('e', 104_249_990)], 1_000_000_000)
    }),
    recorded('a debt under another definition of its limit', limits, (recorder) => {
      const charged = [charge('b', 11)]
      recorder.take(charged, 0)
      recorder.settle(charged, 1_000_000, 1)
      recorder.take([charge('f', 20)], 2)
      recorder.settle(charged, LARGEST, 3)
      recorder.take([charge('b', 1)], 4)
      recorder.take([charge('f', 1)], 5)
    }),
    recorded('what a request took before, given back and taken again', limits, (recorder) => {
      const charged = (cost: number) => [charge(['a', 'b', 'd'], cost)]
      recorder.take(charged(4), 0)
      recorder.take(charged(9), 100, charged(4))
      recorder.take(charged(11), 200, charged(9))
      recorder.take([charge(['a', 'b'], 10), charge(['b', 'd'], 1)], 300, charged(1))
      recorder.take(charged(0), 400, charged(2 ** 40))
      recorder.take(charged(7), 500)
      recorder.take([charge(['f', 'a'], 5)], 600, [charge(['b', 'd'], 2), charge(['a', 'b'], 3)])
      recorder.take([charge('a', 2)], 700, [charge(['a', 'f', 'd'], 3)])
      recorder.peek(charged(1), 800)
    }),
  ]
}
