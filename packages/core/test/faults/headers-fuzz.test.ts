import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeFields } from '../../src/headers/field.js'
import {
  addressKey,
  createLimiter,
  draft6,
  draft7,
  draft11,
  type Field,
  type HeaderStyle,
  headersFor,
  MemoryStore,
  manualClock,
  type Outcome,
  perMinute,
  perSecond,
  problem,
  RailError,
  type Standing,
  xRateLimit,
} from '../../src/index.js'
import { type ParsedHeaders, parseHeaders } from '../../src/read/parse-headers.js'

const RUNS = { seed: 20_261_129, numRuns: 10_000 }

/** Every field that is read, and some that are not. */
const NAMES = [
  ...['RateLimit', 'RateLimit-Policy', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'RateLimit-Name'],
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Used', 'X-RateLimit-Reset', 'X-RateLimit-Reset-After'],
  ...['X-Rate-Limit', 'X-Rate-Limit-Remaining', 'x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens'],
  ...[
    'X-RateLimit',
    'X-Shopify-Shop-Api-Call-Limit',
    'zendesk-ratelimit-tickets-index',
    'X-RateLimit-Remaining-Minute',
  ],
  ...['anthropic-ratelimit-requests-remaining', 'anthropic-ratelimit-requests-reset', 'X-RateLimit-Interval-Seconds'],
  ...[
    'Retry-After',
    'retry-after-ms',
    'Date',
    'Age',
    'Beta-RateLimit',
    'Cache-Control',
    'Access-Control-Expose-Headers',
  ],
]

const fragment = fc.constantFrom(
  ...[
    '"a"',
    '"per_second"',
    ';r=1',
    ';r=0',
    ';t=5',
    ';q=9',
    ';w=60',
    ';r=-1',
    ';r=1.5',
    ';r=NaN',
    ';pk=:aGk=:',
    ', ',
    ',',
  ],
  ...[
    'limit=5',
    'remaining=0',
    'reset=1',
    '("a")',
    '\\',
    '"',
    ' ',
    '\t',
    '\n',
    '\u0000',
    'é',
    '😀',
    '\ud800',
    '%',
    '=',
    ';',
  ],
  ...['0', '1', '5', '-1', '1e3', '1.5', '0x1', 'NaN', 'Infinity', '-Infinity', 'null', 'undefined', '[object Object]'],
  ...['999999999999999', '9999999999999999', '1700000000', '1700000000000', '9'.repeat(400), '2147484', '4294967296'],
  ...[
    '1s',
    '6m0s',
    '5ns',
    'Wed, 21 Oct 2015 07:28:00 GMT',
    'Wednesday, 21-Oct-15 07:28:00 GMT',
    'Wed Oct 21 07:28:00 2015',
  ],
  ...[
    '2015-10-21T07:28:00Z',
    '9999-12-31T23:59:59+23:59',
    '32/40',
    '{"remaining":1,"limit":1e999}',
    '{',
    'total=1; remaining=1',
  ],
)

const value = fc.oneof(
  fragment,
  fc.array(fragment, { maxLength: 8 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 40 }),
)

const fields = fc.dictionary(fc.constantFrom(...NAMES), value, { minKeys: 2, maxKeys: 8 })

/** A whole number from 0 that is exact, or none. */
function isWhole(number: number | undefined): boolean {
  return number === undefined || (Number.isSafeInteger(number) && number >= 0)
}

function isSound({ limits, retryAfterMs, stale }: ParsedHeaders): boolean {
  return (
    isWhole(retryAfterMs) &&
    typeof stale === 'boolean' &&
    limits.every(
      ({ name, quota, windowMs, remaining, resetAfterMs }) =>
        (name === undefined || typeof name === 'string') &&
        remaining !== undefined &&
        [quota, windowMs, remaining, resetAfterMs].every(isWhole),
    )
  )
}

function expectSound(parsed: ParsedHeaders): void {
  // Compared only where it is not, so that what is wrong is shown.
  if (!isSound(parsed)) expect(parsed).toBe('whole numbers that are safe')
}

describe('whatever is sent to it,', () => {
  it('parseHeaders gives only numbers that are whole and safe, and mergeFields keeps ours readable', () => {
    const styles: HeaderStyle[] = [draft11, draft7, draft6, xRateLimit]
    const store = new MemoryStore()
    const decision = store.take([{ key: 'a', limits: [perSecond(10), perMinute(300)], cost: 1 }], 0)
    const own = new Map<HeaderStyle, readonly Field[]>(
      styles.map((style) => [
        style,
        [
          ...headersFor(decision, { headers: style, epochMs: 0 }),
          { name: 'Retry-After', value: '7', merge: 'larger' },
          { name: 'Access-Control-Expose-Headers', value: 'RateLimit', merge: 'list' },
        ],
      ]),
    )
    const nowMs = fc.oneof(fc.constantFrom(undefined, 0, Number.NaN, -1, 1e300, Number.POSITIVE_INFINITY), fc.integer())
    let told = 0
    fc.assert(
      fc.property(fields, nowMs, fc.constantFrom(...styles), (there, now, style) => {
        const alone = parseHeaders(there, now)
        told += alone.limits.length
        expectSound(alone)

        const ours = own.get(style) as readonly Field[]
        const merge = (existing: Record<string, string>): Record<string, string> =>
          Object.fromEntries(mergeFields((name) => existing[name], ours).map(({ name, value }) => [name, value]))
        const once = merge(there)
        expect(merge(once)).toEqual(once)
        const parsed = parseHeaders(once, 0)
        expectSound(parsed)
        const fewest = Math.min(...parsed.limits.map(({ remaining }) => remaining))
        expect(parsed.limits.length > 0 && fewest <= 9 && (parsed.retryAfterMs ?? 0) >= 7_000).toBe(true)
        expect(once['Retry-After']).toMatch(/^[1-9]\d{0,6}$/)
      }),
      RUNS,
    )
    expect(told).toBeGreaterThan(500)
  }, 60_000)

  it('addressKey gives one short key or one error', () => {
    const part = fc.constantFrom(
      ...':.[]%/ 0123456789abcdefg',
      '::',
      '::ffff:',
      '203.0.113.7',
      '2001:db8::1',
      '\u0000',
      '\n',
      '9'.repeat(300),
    )
    const address = fc.oneof(
      fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
      fc.ipV4(),
      fc.ipV6(),
      fc.anything(),
    )
    fc.assert(
      fc.property(address, fc.integer({ min: 1, max: 128 }), (ip, v6Prefix) => {
        try {
          expect(addressKey(ip as string, { v6Prefix, unwrap: ['nat64', '6to4', 'teredo'] })).toMatch(
            /^address:(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f:]{2,39}\/\d{1,3})$/,
          )
        } catch (error) {
          expect(error).toMatchObject({ name: 'RailError', code: 'RAIL_BAD_ADDRESS' })
        }
      }),
      RUNS,
    )
  }, 60_000)

  it('a limiter lets nobody in without limit: a key that it takes is refused once its tokens are gone', () => {
    let limited = 0
    const key = fc.oneof(value, fc.anything())
    const cost = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(0, 1, 2) }, { weight: 1, arbitrary: fc.anything() })
    const clock = manualClock()
    const limiter = createLimiter<{ key: unknown; cost: unknown }>({
      identify: (request) => request.key as string,
      cost: (request) => request.cost as number,
      limits: [perMinute(2)],
      headers: [draft11, draft6, xRateLimit],
      onReject: problem(),
      clock,
    })
    fc.assert(
      fc.property(key, cost, (key, cost) => {
        // No bucket is left from another case.
        clock.advance(120_000)
        const outcomes: Outcome[] = []
        try {
          for (let times = 0; times < 3; times++) outcomes.push(limiter.take({ key, cost }) as Outcome)
        } catch (error) {
          expect(error).toBeInstanceOf(RailError)
          expect(outcomes).toEqual([])
          return
        }
        if (key === null) return
        expect(typeof key).toBe('string')
        for (const { headers } of outcomes) {
          const sent = Object.fromEntries(headers.map(({ name, value }) => [name, value]))
          expectSound(parseHeaders(sent, 0))
          expect(headers.every(({ value }) => /^[\x20-\x7e]+$/.test(value))).toBe(true)
        }
        const admitted = outcomes.filter(({ refusal }) => refusal === undefined).length
        expect(admitted).toBe(cost === 0 ? 3 : Math.floor(2 / (cost as number)))
        if (admitted < 3) limited++
      }),
      RUNS,
    )
    expect(limited).toBeGreaterThan(1_000)
  }, 60_000)
})

describe('however long it is,', () => {
  // Where time grew with the square of the length, this would take minutes.
  const long = [
    ...['"', '\\', ' ', '\t', ',', ', ', '(', ';', '=', ':', '%', '@', '?', '-', '.', 'a', '1', 'é'],
    ...['"a";r=1, ', '"a" ', '("a" ', ';a', 'a=1, ', '1, ', '1 ', 'Wed, ', '1h', '1.', '%41', '{"a":', '0/', '\u0000'],
  ].map((part) => part.repeat(10_000 / part.length))
  const ends = ['', 'x', '"', '\n']

  it.each(long.map((text) => ({ text, part: text.slice(0, 10) })))(
    'a field of $part… is parsed and merged',
    ({ text }) => {
      for (const end of ends) {
        for (const start of ['', '"', '%"', ':', '1']) {
          const sent = `${start}${text}${end}`
          expectSound(parseHeaders(() => sent, 0))
          for (const merge of ['list', 'larger', 'tightest', 'replace'] as const) {
            for (const name of ['RateLimit', 'X-Other']) {
              const standing: Standing = { merge: (_existing, value) => value, replacing: () => standing }
              mergeFields(() => sent, [{ name, value: '1', merge, standing, instead: '2' }])
            }
          }
          if (sent.length > 128) expect(() => addressKey(sent)).toThrow(RailError)
        }
      }
    },
  )
})
