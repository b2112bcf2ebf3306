import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { limit, perMinute, perSecond, RailError, share } from '../../src/index.js'

describe('a share', () => {
  test.each([
    { whole: perSecond(10), servers: 4, tokens: 3, burst: 3 },
    { whole: perSecond(1), servers: 40, tokens: 1, burst: 1 },
    { whole: perSecond(10), servers: 1, tokens: 10, burst: 10 },
    { whole: perSecond(10), servers: 10, tokens: 1, burst: 1 },
    { whole: perSecond(10), servers: 11, tokens: 1, burst: 1 },
    { whole: perMinute(300, { burst: 7 }), servers: 2, tokens: 150, burst: 4 },
    { whole: perSecond(2, { burst: 100 }), servers: 3, tokens: 1, burst: 34 },
  ])(
    'of $whole.tokens with bursts of $whole.burst on $servers servers is $tokens and $burst',
    ({ whole, servers, tokens, burst }) => {
      expect(share(whole, servers)).toMatchObject({ tokens, burst, wholeBurst: whole.burst })
    },
  )

  test('keeps the window, the name and what is counted, and remembers the whole burst', () => {
    const whole = perMinute(300, { name: 'calls', counts: 'requests' })
    expect(share(whole, 7)).toMatchObject({ name: 'calls', windowMs: 60_000, counts: 'requests', wholeBurst: 300 })
  })

  test('of a share remembers the first whole', () => {
    expect(share(share(perSecond(100), 4), 5)).toMatchObject({ tokens: 5, burst: 5, wholeBurst: 100 })
  })

  test('for one server is the limit itself', () => {
    const whole = perSecond(10)
    expect(share(whole, 1)).toBe(whole)
  })

  test.each([
    { tokens: 999_983, per: 86_400_000, burst: 104_249_990, servers: 3, expected: 333_328, why: 'as it is' },
    { tokens: 999_983, per: 86_400_000, burst: 104_249_990, servers: 5, expected: 199_998, why: 'to a multiple of 2' },
    { tokens: 9_216, per: 589_824, burst: 140_737_488_355_327, servers: 5, expected: 16_384, why: 'to 2 ** 14' },
    { tokens: 1, per: 3_234_846_615, burst: 2_784_428, servers: 2, expected: 3, why: 'to 3, of an odd window' },
    {
      tokens: 15_015,
      per: 3_234_846_615,
      burst: 41_808_194_608,
      servers: 2,
      expected: 23_023,
      why: 'to 7 * 11 * 13 * 23',
    },
    {
      tokens: 1_000_000,
      per: 86_400_000,
      burst: 20_849_998_274_863,
      servers: 3,
      expected: 540_000,
      why: 'to 2 * 270,000',
    },
  ])(
    'of $tokens per $per ms with $burst on $servers servers rounds tokens up $why',
    ({ tokens, per, burst, servers, expected }) => {
      const part = share(limit({ name: 'x', tokens, per, burst }), servers)
      expect(part.tokens).toBe(expected)
      expect((part.burst + part.wholeBurst) * part.grain).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER)
    },
  )

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '2', null, undefined])(
    'is not made for %o servers',
    (servers) => {
      const make = () => share(perSecond(10), servers as number)
      expect(make).toThrow(RailError)
      expect(make).toThrow(/^servers of share\(\): expected a whole number from 1, got .*use 1/)
    },
  )
})

const seed = 20_261_129

/** Legal limits, the largest too. */
const legal = fc
  .record({
    tokens: fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 999_999_999_999_999 })),
    per: fc.oneof(
      fc.integer({ min: 1, max: 100_000 }),
      fc.constantFrom(86_400_000, 2_592_000_000),
      fc.integer({ min: 1, max: 2 ** 34 }),
    ),
  })
  .chain(({ tokens, per }) => {
    const { grain } = limit({ name: 'x', tokens, per, burst: 1 })
    const most = Math.min(999_999_999_999_999, Math.floor(Number.MAX_SAFE_INTEGER / grain))
    return fc
      .oneof(fc.constant(most), fc.integer({ min: 1, max: most }))
      .map((burst) => limit({ name: 'x', tokens, per, burst }))
  })
const servers = fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }))

test(`share never throws on a legal limit, never gives less than the part, and stays exact (seed ${seed})`, () => {
  fc.assert(
    fc.property(legal, servers, servers, (whole, first, second) => {
      const part = share(share(whole, first), second)
      const once = share(whole, first)
      expect(once.burst).toBe(Math.max(1, Math.ceil(whole.burst / first)))
      expect(BigInt(once.tokens) * BigInt(first)).toBeGreaterThanOrEqual(BigInt(whole.tokens))
      for (const each of [once, part]) {
        expect(each).toMatchObject({ name: whole.name, windowMs: whole.windowMs, wholeBurst: whole.burst })
        expect(each.tokens).toBeGreaterThanOrEqual(1)
        expect(Number.isSafeInteger(each.tokens) && Number.isSafeInteger(each.size)).toBe(true)
        expect(BigInt(each.tokens) * BigInt(each.grain)).toBe(BigInt(each.windowMs) * BigInt(each.flow))
      }
      if (first === 1) return
      // A cost of the whole burst into a full bucket must leave an exact debt.
      expect((BigInt(once.burst) + BigInt(once.wholeBurst)) * BigInt(once.grain)).toBeLessThanOrEqual(
        BigInt(Number.MAX_SAFE_INTEGER),
      )
    }),
    { seed, numRuns: 1_000 },
  )
})
