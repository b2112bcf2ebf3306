import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  carriedOver,
  costFor,
  drained,
  fits,
  fullAfter,
  givenBack,
  MOST_OWED,
  owedAfterTake,
  remainingOf,
  waitFor,
} from '../../src/bucket/bucket.js'
import { type Limit, limit, perDay, perMinute, perSecond, share } from '../../src/index.js'

/** A bucket's life on one screen: at `now` a request of `cost` comes, and `left` is left. */
type Life = readonly (readonly [now: number, cost: number, allowed: boolean, left: number, wait?: number])[]

const LIVES: readonly (readonly [name: string, limit: Limit, life: Life])[] = [
  [
    '1 per second with bursts of 10',
    perSecond(1, { burst: 10 }),
    [
      [0, 10, true, 0],
      [400, 1, false, 0, 600],
      [999, 1, false, 0, 1],
      [1_000, 1, true, 0],
      [1_000, 0, true, 0],
      [6_000, 3, true, 2],
      [6_000, 11, false, 2, Number.POSITIVE_INFINITY],
      [13_999, 10, false, 9, 1],
      [14_000, 10, true, 0],
      [86_414_000, 10, true, 0],
    ],
  ],
  [
    '10 per second',
    perSecond(10),
    [
      [0, 1, true, 9],
      [99, 9, true, 0],
      [99, 1, false, 0, 1],
      [100, 1, true, 0],
      [250, 2, false, 1, 50],
      [300, 2, true, 0],
    ],
  ],
  [
    '7 per second',
    perSecond(7),
    [
      [0, 7, true, 0],
      [0, 1, false, 0, 143],
      [142, 1, false, 0, 1],
      [143, 1, true, 0],
      [285, 1, false, 0, 1],
      [286, 1, true, 0],
      [1_000, 7, false, 5, 286],
      [1_285, 7, false, 6, 1],
      [1_286, 7, true, 0],
    ],
  ],
  [
    '11 per 13 seconds',
    limit({ name: 'odd', tokens: 11, per: '13s' }),
    [
      [0, 11, true, 0],
      [0, 11, false, 0, 13_000],
      [1_181, 1, false, 0, 1],
      [1_182, 1, true, 0],
      [12_999, 10, false, 9, 1],
      [13_000, 10, true, 0],
    ],
  ],
  [
    '999,983 per day',
    perDay(999_983),
    [
      [0, 999_983, true, 0],
      [86, 1, false, 0, 1],
      [87, 1, true, 0],
      [86_400_000, 999_983, false, 999_982, 87],
      [86_400_086, 999_983, false, 999_982, 1],
      [86_400_087, 999_983, true, 0],
    ],
  ],
  [
    '1 per 30 days',
    limit({ name: 'rare', tokens: 1, per: '30d' }),
    [
      [0, 1, true, 0],
      [1, 1, false, 0, 2_591_999_999],
      [2_591_999_999, 1, false, 0, 1],
      [2_592_000_000, 1, true, 0],
    ],
  ],
  [
    '10 per second, one of 4 servers',
    share(perSecond(10), 4),
    [
      [0, 10, true, 0],
      [0, 1, false, 0, 2_667],
      [2_666, 1, false, 0, 1],
      [2_667, 1, true, 0],
      [2_667, 3, false, 0, 1_000],
      [3_667, 11, false, 3, Number.POSITIVE_INFINITY],
      [3_667, 10, true, 0],
    ],
  ],
]

describe.each(LIVES)('the life of a bucket of %s', (_, limit, life) => {
  let owed = 0
  let at = 0

  test.each(life.map(([now, cost, allowed, left, wait = 0]) => ({ now, cost, allowed, left, wait })))(
    'at $now ms, cost $cost: allowed $allowed, left $left, wait $wait',
    ({ now, cost, allowed, left, wait }) => {
      owed = drained(owed, now - at, limit)
      at = now
      expect(fits(owed, limit, cost)).toBe(allowed)
      expect(waitFor(owed, limit, cost, 0)).toBe(wait)
      if (allowed) owed = owedAfterTake(owed, limit, cost)
      expect(remainingOf(owed, limit)).toBe(left)
    },
  )
})

test('a limit that counts requests takes 1, a limit that counts cost takes the cost', () => {
  expect([0, 1, 7].map((cost) => costFor(perMinute(9, { counts: 'requests' }), cost))).toEqual([1, 1, 1])
  expect([0, 1, 7].map((cost) => costFor(perMinute(9), cost))).toEqual([0, 1, 7])
})

test('how far the clock has stepped back is added to every wait but none', () => {
  const second = perSecond(1, { burst: 10 })
  expect(waitFor(10_000, second, 1, 300)).toBe(1_300)
  expect(waitFor(0, second, 1, 300)).toBe(0)
  expect(fullAfter(10_000, second, 300)).toBe(10_300)
  expect(fullAfter(0, second, 300)).toBe(0)
})

// Limits as small as they come and as large as may be, and shares of them.
const rates = fc.oneof(
  fc.record({ tokens: fc.integer({ min: 1, max: 1_000 }), per: fc.integer({ min: 1, max: 100_000 }) }),
  fc.record({
    tokens: fc.integer({ min: 1, max: 999_999_999_999_999 }),
    per: fc.oneof(fc.integer({ min: 1, max: 2 ** 33 }), fc.constantFrom(2 ** 53 - 1, 94_906_266, 86_400_000)),
  }),
)
const limits = rates.chain(({ tokens, per }) => {
  const { grain } = limit({ name: 'x', tokens, per, burst: 1 })
  const most = Math.min(999_999_999_999_999, Math.floor(Number.MAX_SAFE_INTEGER / grain))
  const burst = fc.oneof(fc.constant(most), fc.integer({ min: 1, max: most }))
  return fc.tuple(burst, fc.constantFrom(1, 1, 2, 7)).map(([burst, servers]) => {
    const whole = limit({ name: 'x', tokens, per, burst })
    return per > 2 ** 33 ? whole : share(whole, servers)
  })
})

const owed = (most: number) => fc.oneof(fc.integer({ min: 0, max: most }), fc.constantFrom(0, most, MOST_OWED))
const cost = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }))
const seed = 20_261_129
const RUNS = 1_000

describe(`the arithmetic of any bucket, against whole numbers without bound (seed ${seed})`, () => {
  const [zero, one] = [0n, 1n]
  const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
  const ceil = (a: bigint, b: bigint): bigint => (a + b - one) / b
  const exact = ({ tokens, windowMs, burst, wholeBurst }: Limit) => {
    let [a, b] = [BigInt(tokens), BigInt(windowMs)]
    while (b !== zero) [a, b] = [b, a % b]
    const grain = BigInt(windowMs) / a
    return {
      grain,
      flow: BigInt(tokens) / a,
      burst: BigInt(burst),
      wholeBurst: BigInt(wholeBurst),
      size: BigInt(burst) * grain,
    }
  }
  const bucket = limits.chain((limit) => fc.record({ limit: fc.constant(limit), owed: owed(limit.size), cost }))
  const run = (property: fc.IProperty<[{ limit: Limit; owed: number; cost: number }]>) =>
    fc.assert(property, { seed, numRuns: RUNS })

  test('whether a cost fits, and the wait until it does', () => {
    run(
      fc.property(bucket, ({ limit, owed, cost }) => {
        const { grain, flow, burst, wholeBurst, size } = exact(limit)
        const room = size - least(BigInt(cost), burst) * grain
        const fitsExactly = cost === 0 || (BigInt(cost) <= wholeBurst && BigInt(owed) <= room)
        expect(fits(owed, limit, cost)).toBe(fitsExactly)
        const wait = fitsExactly ? 0 : BigInt(cost) > wholeBurst ? Infinity : Number(ceil(BigInt(owed) - room, flow))
        expect(waitFor(owed, limit, cost, 0)).toBe(wait)
        if (wait === 0 || wait === Infinity) return
        expect(fits(drained(owed, wait, limit), limit, cost)).toBe(true)
        expect(fits(drained(owed, wait - 1, limit), limit, cost)).toBe(false)
      }),
    )
  })

  test('what drains, what is taken and given back, what is left, when it is full', () => {
    run(
      fc.property(bucket, ({ limit, owed, cost }) => {
        const { grain, flow, size } = exact(limit)
        const [owes, tokens] = [BigInt(owed), BigInt(cost)]
        const after = owes - tokens * flow
        expect(drained(owed, cost, limit)).toBe(Number(after > zero ? after : zero))
        expect(owedAfterTake(owed, limit, cost)).toBe(Number(least(owes + tokens * grain, BigInt(MOST_OWED))))
        const back = owes - tokens * grain
        expect(givenBack(owed, limit, cost)).toBe(Number(back > zero ? back : zero))
        expect(remainingOf(owed, limit)).toBe(Number(owes < size ? (size - owes) / grain : zero))
        expect(fullAfter(owed, limit, 0)).toBe(Number(ceil(owes, flow)))
      }),
    )
  })

  test('what is carried over: spent stays spent, what the size has no room for in all, a debt stays a debt, all rounded up', () => {
    const changed = fc
      .tuple(limits, limits)
      .chain(([before, after]) =>
        fc.tuple(
          fc.constant(before),
          fc.constant(after),
          owed(before.size),
          fc.oneof(fc.constant(0), owed(before.size)),
        ),
      )
    fc.assert(
      fc.property(changed, ([before, after, owed, more]) => {
        const total = Math.min(owed + more, MOST_OWED)
        const [from, to] = [exact(before), exact(after)]
        const spent = least(BigInt(owed), from.size)
        const inGrains = (grains: bigint) => (from.grain === to.grain ? grains : ceil(grains * to.grain, from.grain))
        const cut = inGrains(BigInt(total - owed))
        const grown = to.size > BigInt(before.burst) * to.grain ? to.size - BigInt(before.burst) * to.grain : 0n
        const debt = inGrains(BigInt(owed) - spent)
        const owes = least(inGrains(spent) + least(cut, grown), to.size) + debt
        expect(carriedOver(owed, total, before, after)).toEqual({
          owed: Number(least(owes, BigInt(MOST_OWED))),
          total: Number(least(inGrains(spent) + cut + debt, BigInt(MOST_OWED))),
        })
      }),
      { seed, numRuns: RUNS },
    )
  })
})
