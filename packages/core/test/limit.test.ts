import { describe, expect, test } from 'vitest'
import {
  type LimitDefinition,
  limit,
  perDay,
  perHour,
  perMinute,
  perSecond,
  RailError,
  type RailErrorCode,
} from '../src/index.js'

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

  test('may be as large as whole numbers are exact, and have any printable ASCII as its name', () => {
    expect(limit({ name: 'x', tokens: 1, per: Number.MAX_SAFE_INTEGER }).size).toBe(Number.MAX_SAFE_INTEGER)
    expect(limit({ name: 'x', tokens: 999_999_999_999_999, per: 1 }).size).toBe(999_999_999_999_999)
    const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('')
    expect(perSecond(1, { name: printable }).name).toBe(printable)
    expect(perSecond(1, { name: 'x'.repeat(256) }).name).toHaveLength(256)
  })
})

/** What is wrong, the code, what was expected, what came. */
const BAD: readonly (readonly [definition: unknown, code: RailErrorCode, expected: RegExp, came: string])[] = [
  [{ tokens: '2' }, 'RAIL_BAD_LIMIT', /tokens of limit "x" is a whole number from 1/, 'got "2"'],
  [{ tokens: 0 }, 'RAIL_BAD_LIMIT', /whole number from 1/, 'got 0'],
  [{ tokens: -1 }, 'RAIL_BAD_LIMIT', /whole number from 1/, 'got -1'],
  [{ tokens: Number.NaN }, 'RAIL_BAD_LIMIT', /whole number from 1/, 'got NaN'],
  [{ tokens: Number.POSITIVE_INFINITY }, 'RAIL_BAD_LIMIT', /whole number from 1/, 'got Infinity'],
  [{ tokens: 1.5 }, 'RAIL_BAD_LIMIT', /whole number from 1/, 'got 1.5'],
  [{ tokens: 1n }, 'RAIL_BAD_LIMIT', /whole number from 1/, 'got 1n'],
  [{ tokens: null }, 'RAIL_BAD_LIMIT', /whole number from 1/, 'got null'],
  [{ tokens: undefined }, 'RAIL_BAD_LIMIT', /whole number from 1/, 'got undefined'],
  [{ tokens: 1_000_000_000_000_000 }, 'RAIL_BAD_LIMIT', /from 1 to 999999999999999/, 'got 1000000000000000'],
  [{ burst: 0 }, 'RAIL_BAD_LIMIT', /burst of limit "x" is a whole number from 1/, 'got 0'],
  [{ burst: '5' }, 'RAIL_BAD_LIMIT', /burst of limit "x" is a whole number from 1/, 'got "5"'],
  [{ burst: null }, 'RAIL_BAD_LIMIT', /burst/, 'got null'],
  [{ burst: 2.5 }, 'RAIL_BAD_LIMIT', /burst/, 'got 2.5'],
  [{ name: '' }, 'RAIL_BAD_LIMIT', /printable ASCII/, 'got ""'],
  [{ name: undefined }, 'RAIL_BAD_LIMIT', /printable ASCII/, 'got undefined'],
  [{ name: 7 }, 'RAIL_BAD_LIMIT', /printable ASCII/, 'got 7'],
  [{ name: 'größe' }, 'RAIL_BAD_LIMIT', /printable ASCII/, 'got "größe"'],
  [{ name: 'a\nb' }, 'RAIL_BAD_LIMIT', /printable ASCII/, 'got "a\\nb"'],
  [{ name: '😀' }, 'RAIL_BAD_LIMIT', /printable ASCII/, 'got "😀"'],
  [{ name: 'x'.repeat(257) }, 'RAIL_BAD_LIMIT', /1 to 256 characters/, 'got "xxx'],
  [{ counts: 'tokens' }, 'RAIL_BAD_LIMIT', /'cost' or 'requests'/, 'got "tokens"'],
  [{ per: '10 parsecs' }, 'RAIL_BAD_DURATION', /units ms, s, m, h, d/, 'got "10 parsecs"'],
  [{ per: '' }, 'RAIL_BAD_DURATION', /units ms, s, m, h, d/, 'got ""'],
  [{ per: undefined }, 'RAIL_BAD_DURATION', /units ms, s, m, h, d/, 'got undefined'],
  [{ per: 0 }, 'RAIL_BAD_DURATION', /whole milliseconds from 1/, 'got 0'],
  [{ max: 3 }, 'RAIL_BAD_LIMIT', /it takes name, tokens, per, burst, counts/, 'Unknown "max"'],
  [{ brust: 3 }, 'RAIL_BAD_LIMIT', /counts\. Did you mean "burst"\?$/, 'Unknown "brust"'],
  [
    { tokens: 7, per: '30d', burst: 100_000_000 },
    'RAIL_BAD_LIMIT',
    /2\^53 - 1\. Lower the burst, or choose/,
    'burst 100000000 * 2592000000',
  ],
]

describe('a wrong limit is an error when it is made, which says what was expected and what came', () => {
  test.each(BAD)('%o', (definition, code, expected, came) => {
    const make = () => limit({ name: 'x', tokens: 1, per: '1s', ...(definition as Partial<LimitDefinition>) })
    expect(make).toThrow(RailError)
    expect(make).toThrow(expect.objectContaining({ code, message: expect.stringMatching(expected) }))
    expect(make).toThrow(came)
  })

  test.each(['2', 0, Number.NaN, Number.POSITIVE_INFINITY, 1.5, -1, null, undefined])('perSecond(%o)', (tokens) => {
    expect(() => perSecond(tokens as number)).toThrow(expect.objectContaining({ code: 'RAIL_BAD_LIMIT' }))
  })

  test.each([null, undefined, 7, 'per_second'])('limit(%o)', (definition) => {
    expect(() => limit(definition as unknown as LimitDefinition)).toThrow(/limit\(\) takes \{ name, tokens, per \}/)
  })

  test.each([10, '10', null])('perSecond(1, %o)', (options) => {
    expect(() => perSecond(1, options as never)).toThrow(
      /The options of per_second are an object, \{ burst, name, counts \}/,
    )
  })

  test('an option that perSecond does not know', () => {
    const options = { tokens: 3 } as object
    expect(() => perSecond(1, options)).toThrow(
      /Unknown "tokens" in the options of per_second; it takes name, burst, counts/,
    )
  })
})
