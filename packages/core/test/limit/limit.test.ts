import { describe, expect, test } from 'vitest'
import { type Limit, type LimitDefinition, limit, perDay, perHour, perMinute, perSecond } from '../../src/index.js'
import { checkedLimits } from '../../src/limit/check-limits.js'

const COPIES: readonly (readonly [what: string, copy: (limit: Limit) => Limit])[] = [
  ['structuredClone', structuredClone],
  ['JSON', (limit) => JSON.parse(JSON.stringify(limit))],
  ['a spread', (limit) => ({ ...limit })],
  ['an heir', (limit) => Object.create(limit, Object.getOwnPropertyDescriptors({ ...limit }))],
  ['a Proxy', (limit) => new Proxy({ ...limit }, {})],
]

describe('a limit', () => {
  test.each([
    { made: perSecond(10), name: 'per_second', tokens: 10, windowMs: 1_000, grain: 100, flow: 1, size: 1_000 },
    { made: perMinute(300), name: 'per_minute', tokens: 300, windowMs: 60_000, grain: 200, flow: 1, size: 60_000 },
    { made: perHour(7), name: 'per_hour', tokens: 7, windowMs: 3_600_000, grain: 3_600_000, flow: 7, size: 25_200_000 },
    {
      made: perDay(999_983),
      name: 'per_day',
      tokens: 999_983,
      windowMs: 86_400_000,
      grain: 86_400_000,
      flow: 999_983,
      size: 86_398_531_200_000,
    },
    {
      made: limit({ name: 'odd', tokens: 11, per: '13s' }),
      name: 'odd',
      tokens: 11,
      windowMs: 13_000,
      grain: 13_000,
      flow: 11,
      size: 143_000,
    },
    {
      made: limit({ name: 'fast', tokens: 3_000, per: 1_000 }),
      name: 'fast',
      tokens: 3_000,
      windowMs: 1_000,
      grain: 1,
      flow: 3,
      size: 3_000,
    },
  ])('counts in the largest whole grains: $name', ({ made, ...expected }) => {
    expect(made).toEqual({
      kind: 'token-bucket',
      ...expected,
      burst: expected.tokens,
      wholeBurst: expected.tokens,
      counts: 'cost',
    })
  })

  test('has a burst of its own', () => {
    expect(perSecond(1, { burst: 10 })).toMatchObject({ tokens: 1, burst: 10, wholeBurst: 10, size: 10_000 })
  })

  test('may have another name, and count requests', () => {
    expect(perSecond(1, { name: 'calls', counts: 'requests' })).toMatchObject({ name: 'calls', counts: 'requests' })
  })

  test('is frozen', () => {
    const made = perSecond(1) as { tokens: number }
    expect(() => {
      made.tokens = 2
    }).toThrow(TypeError)
  })

  test('is plain data: copies are equal', () => {
    const made = perSecond(10)
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype)
    expect(Reflect.ownKeys(made)).toHaveLength(10)
    for (const [, copy] of COPIES) expect(copy(made)).toStrictEqual(made)
  })

  test.each(COPIES)('is checked where it was not made here: %s', (_, copy) => {
    const made = perSecond(10)
    expect(checkedLimits([made], 'limits')[0]).toBe(made)
    const other = copy(made)
    const [kept] = checkedLimits([other], 'limits')
    expect(kept).toEqual(made)
    expect(kept).not.toBe(other)
    for (const wrong of [{ size: made.size * 2 }, { grain: 1 }, { burst: 20 }, { tokens: Number.NaN }]) {
      const changed = Object.defineProperties(copy(made), Object.getOwnPropertyDescriptors(wrong))
      expect(() => checkedLimits([changed], 'limits')).toThrow(expect.objectContaining({ code: 'RAIL_BAD_LIMITS' }))
    }
  })

  test('may be as large as whole numbers are exact, and have any printable ASCII as its name', () => {
    expect(limit({ name: 'x', tokens: 1, per: Number.MAX_SAFE_INTEGER }).size).toBe(Number.MAX_SAFE_INTEGER)
    expect(limit({ name: 'x', tokens: 999_999_999_999_999, per: 1 }).size).toBe(999_999_999_999_999)
    const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('')
    expect(perSecond(1, { name: printable }).name).toBe(printable)
    expect(perSecond(1, { name: 'x'.repeat(256) }).name).toHaveLength(256)
  })
})

describe('what is no limit at all is an error', () => {
  test.each([null, undefined, 7, 'per_second'])('limit(%o)', (definition) => {
    expect(() => limit(definition as unknown as LimitDefinition)).toThrow(
      /^limit\(\): expected \{ name, tokens, per \}, got /,
    )
  })

  test.each([10, '10', null])('perSecond(1, %o)', (options) => {
    expect(() => perSecond(1, options as never)).toThrow(/^perSecond\(\): expected \{ burst, name, counts \}, got /)
  })

  test('an option that perSecond does not know', () => {
    const options = { tokens: 3 } as object
    expect(() => perSecond(1, options)).toThrow(/^tokens: not an option of perSecond\(\)/)
  })
})
