import { describe, expect, it } from 'vitest'
import {
  createLimiter,
  type Decision,
  draft6,
  draft7,
  draft11,
  exposed,
  type Field,
  type HeaderOptions,
  type HeaderStyle,
  headersFor,
  type Limit,
  type LimiterOptions,
  limit,
  MemoryStore,
  manualClock,
  perDay,
  perMinute,
  perSecond,
  share,
  xRateLimit,
} from '../../src/index.js'

const AT = 1_700_000_000_000

/** The decision on a request of `cost`, after requests of the costs `before` at the same moment. */
function decisionOn(limits: readonly Limit[], cost: number, before: readonly number[] = []): Decision {
  const store = new MemoryStore()
  for (const earlier of before) store.take([{ key: 'acme', limits, cost: earlier }], 0)
  return store.take([{ key: 'acme', limits, cost }], 0)
}

function sent(fields: readonly Field[]): string[] {
  return fields.map(({ name, value }) => `${name}: ${value}`)
}

function told(style: HeaderStyle | readonly HeaderStyle[], decision: Decision, epochMs = AT): string[] {
  return sent(headersFor(decision, { headers: style, epochMs }))
}

function outcomeOf(options: Partial<LimiterOptions<string>>, key = 'acme') {
  const limiter = createLimiter<string>({
    identify: (request) => request,
    limits: [perSecond(2)],
    ...options,
  } as LimiterOptions<string>)
  return limiter.take(key)
}

describe('draft11', () => {
  it('tells every limit, in the order of the decision', () => {
    expect(told(draft11, decisionOn([perSecond(10), perMinute(300)], 1))).toEqual([
      'RateLimit-Policy: "per_second";q=10;w=1, "per_minute";q=300;w=60',
      'RateLimit: "per_second";r=9;t=1, "per_minute";r=299;t=1',
    ])
  })

  it.each([
    ['1ms', 1],
    ['999ms', 1],
    ['1s', 1],
    ['1001ms', 2],
  ] as const)('tells a window of %s as %i s: rounded up, and never the 0 that the draft forbids', (per, w) => {
    const limits = [limit({ name: 'short', tokens: 1, per })]
    expect(told(draft11, decisionOn(limits, 1))[0]).toBe(`RateLimit-Policy: "short";q=1;w=${w}`)
    expect(told(draft7, decisionOn(limits, 1))[0]).toBe(`RateLimit-Policy: 1;w=${w}`)
  })

  it('is the default, and the same whether it is named alone or in an array', () => {
    const decision = decisionOn([perSecond(10)], 1)
    const told = headersFor(decision, { headers: draft11 })
    expect(headersFor(decision)).toEqual(told)
    expect(headersFor(decision, {})).toEqual(told)
    expect(headersFor(decision, { headers: [draft11] })).toEqual(told)
  })

  it('tells for a limit that refused the wait for this cost, and no wait for a cost that never fits', () => {
    expect(told(draft11, decisionOn([perMinute(10)], 4, [8]))[1]).toBe('RateLimit: "per_minute";r=2;t=12')
    expect(told(draft11, decisionOn([perMinute(10)], 11))[1]).toBe('RateLimit: "per_minute";r=10')
  })
})

describe('draft7', () => {
  it('tells the policies as a list of quotas and the tightest limit as a dictionary', () => {
    expect(told(draft7, decisionOn([perSecond(10), perMinute(300)], 1, [3]))).toEqual([
      'RateLimit-Policy: 10;w=1, 300;w=60',
      'RateLimit: limit=10, remaining=6, reset=1',
    ])
  })

  it('tells of two policies with the same quota only the slower, as a quota is all the name they have', () => {
    for (const [one, other] of [
      [perMinute(10), perDay(10)],
      [perDay(10), perMinute(10)],
    ] as const) {
      const limits = [one, perSecond(20), other]
      expect(told(draft7, decisionOn(limits, 1))[0]).toBe('RateLimit-Policy: 10;w=86400, 20;w=1')
    }
  })
})

describe('draft6', () => {
  it('tells limit, remaining and reset in seconds from now, of the tightest limit', () => {
    expect(told(draft6, decisionOn([perSecond(500), perMinute(100)], 1, Array(100).fill(1)))).toEqual([
      'RateLimit-Limit: 100',
      'RateLimit-Remaining: 0',
      'RateLimit-Reset: 1',
    ])
  })
})

describe('xRateLimit', () => {
  it('tells what was used too, and the reset in seconds since 1970', () => {
    expect(told(xRateLimit, decisionOn([perMinute(60)], 1, [20]))).toEqual([
      'X-RateLimit-Limit: 60',
      'X-RateLimit-Remaining: 39',
      'X-RateLimit-Used: 21',
      'X-RateLimit-Reset: 1700000021',
    ])
  })

  it.each([
    { epochMs: AT, reset: AT / 1000 + 1 },
    { epochMs: AT + 1, reset: AT / 1000 + 2 },
    { epochMs: AT + 999, reset: AT / 1000 + 2 },
  ])('rounds the moment $epochMs and a second up to $reset, so that no client is early', ({ epochMs, reset }) => {
    expect(told(xRateLimit, decisionOn([perSecond(1)], 1), epochMs)[3]).toBe(`X-RateLimit-Reset: ${reset}`)
  })

  it('counts the reset from Date.now by default', () => {
    const before = Math.floor(Date.now() / 1000)
    const reset = Number(headersFor(decisionOn([perSecond(1)], 1), { headers: xRateLimit })[3]?.value)
    expect(reset).toBeGreaterThanOrEqual(before + 1)
    expect(reset).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 1)
  })

  it('counts the reset from the clock that the user gives, which serves both', async () => {
    const { headers } = await outcomeOf({ headers: xRateLimit, clock: manualClock(AT), limits: [perMinute(1)] })
    expect(sent(headers)[3]).toBe(`X-RateLimit-Reset: ${AT / 1000 + 60}`)
  })

  it('counts the reset from Date.now where no clock is given, although the buckets run on another', async () => {
    const { headers } = await outcomeOf({ headers: xRateLimit })
    expect(Number(headers[3]?.value)).toBeGreaterThan(1_600_000_000)
  })

  it('never tells a moment before 1970 or one that is no number', () => {
    expect(told(xRateLimit, decisionOn([perSecond(1)], 1), -5_000_000)[3]).toBe('X-RateLimit-Reset: 0')
    expect(() => told(xRateLimit, decisionOn([perSecond(1)], 1), Number.NaN)).toThrow(
      expect.objectContaining({ code: 'RAIL_BAD_OPTION' }),
    )
  })

  it('tells of a share in debt nothing left and everything used', () => {
    const decision = decisionOn([share(perMinute(10), 5)], 1, [10])
    expect(told(xRateLimit, decision).slice(0, 3)).toEqual([
      'X-RateLimit-Limit: 2',
      'X-RateLimit-Remaining: 0',
      'X-RateLimit-Used: 2',
    ])
  })
})

describe('the tightest limit', () => {
  const big = limit({ name: 'big', tokens: 100, per: '10s' })
  const small = limit({ name: 'small', tokens: 10, per: '1s' })
  const slow = limit({ name: 'slow', tokens: 10, per: '1h' })

  it.each([
    { why: 'the fewest tokens left', limits: [big, small], cost: 1, before: [], is: '10, 9, 1' },
    {
      why: 'the one that refused, whatever the others have left',
      limits: [big, small],
      cost: 5,
      before: [6],
      is: '10, 4, 1',
    },
    { why: 'of two that refused the longest wait', limits: [small, slow], cost: 5, before: [6], is: '10, 4, 360' },
    { why: 'of equals the first listed', limits: [slow, small], cost: 1, before: [], is: '10, 9, 360' },
    {
      why: 'of equals the first listed, the other way round',
      limits: [small, slow],
      cost: 1,
      before: [],
      is: '10, 9, 1',
    },
  ])('is $why', ({ limits, cost, before, is }) => {
    expect(
      headersFor(decisionOn(limits, cost, before), { headers: draft6 })
        .map((field) => field.value)
        .join(', '),
    ).toBe(is)
  })

  it('refuses rather than having fewer left', () => {
    const few = limit({ name: 'few', tokens: 3, per: '1m', counts: 'requests' })
    for (const limits of [
      [few, small],
      [small, few],
    ]) {
      const decision = decisionOn(limits, 5, [6, 0])
      expect(decision.refusedBy).toEqual(['small'])
      expect(headersFor(decision, { headers: draft6 }).map((field) => field.value)).toEqual(['10', '4', '1'])
    }
  })

  it('has no reset where a cost can never fit', () => {
    const decision = decisionOn([small], 11, [5])
    expect(told([draft7], decision)[1]).toBe('RateLimit: limit=10, remaining=5')
    expect(told(draft6, decision)).toEqual(['RateLimit-Limit: 10', 'RateLimit-Remaining: 5'])
    expect(told(xRateLimit, decision)).toEqual([
      'X-RateLimit-Limit: 10',
      'X-RateLimit-Remaining: 5',
      'X-RateLimit-Used: 5',
    ])
  })
})

describe('several styles together', () => {
  it('each tell the same decision', () => {
    expect(told([draft11, draft6, xRateLimit], decisionOn([perSecond(10)], 1))).toEqual([
      'RateLimit-Policy: "per_second";q=10;w=1',
      'RateLimit: "per_second";r=9;t=1',
      'RateLimit-Limit: 10',
      'RateLimit-Remaining: 9',
      'RateLimit-Reset: 1',
      'X-RateLimit-Limit: 10',
      'X-RateLimit-Remaining: 9',
      'X-RateLimit-Used: 1',
      'X-RateLimit-Reset: 1700000001',
    ])
  })

  it.each([
    { headers: [draft11, draft7], says: /^headers: draft11 and draft7 both send RateLimit/ },
    { headers: [draft7, xRateLimit, draft11], says: /^headers: draft7 and draft11 both send RateLimit/ },
    { headers: [draft6, draft6], says: /^headers: draft6 and draft6 both send RateLimit-Limit/ },
    { headers: [exposed(draft11), draft7], says: /^headers: exposed\(draft11\) and draft7 both send RateLimit/ },
    { headers: 'draft-8', says: /^headers: expected header styles, or false, got "draft-8"/ },
    { headers: [draft11, 'toString'], says: /got "toString"/ },
    { headers: [], says: /got \[\]/ },
    { headers: true, says: /got true/ },
    { headers: null, says: /got null/ },
  ])('or one is an error when the limiter is made: $headers', ({ headers, says }) => {
    const make = () => outcomeOf({ headers: headers as never })
    expect(make).toThrow(expect.objectContaining({ code: 'RAIL_BAD_OPTION', message: expect.stringMatching(says) }))
  })

  it('or none: a refusal keeps its own fields', async () => {
    const { headers } = await outcomeOf({ headers: false, limits: [perSecond(1)], cost: () => 2 })
    expect(sent(headers)).toEqual(['x-should-retry: false', 'Cache-Control: no-store'])
  })
})

describe('every style', () => {
  const styles: HeaderStyle[] = [draft11, draft7, draft6, xRateLimit]
  const huge = limit({ name: 'huge', tokens: 1, per: '3650d', burst: 20_000 })

  it.each(styles)('$name tells nothing where nothing was counted', (style) => {
    expect(headersFor({ ...decisionOn([perSecond(1)], 1), limits: [] }, { headers: style })).toEqual([])
  })

  it.each(styles)('$name sends whole numbers that are safe, and no wait of more than 2147483 seconds', (style) => {
    const values = headersFor(decisionOn([huge], 1, [20_000]), { headers: style, epochMs: 0 }).map(
      (field) => field.value,
    )
    expect(values.join()).toMatch(/\b2147483\b/)
    expect(values.join()).not.toMatch(/NaN|Infinity|e\+|\./)
    for (const number of values.join().match(/\d+/g) ?? []) expect(Number.isSafeInteger(Number(number))).toBe(true)
  })
})

describe('headersFor', () => {
  const decision = decisionOn([perSecond(1)], 1)
  const _styles = 'draft11, draft7, draft6, xRateLimit'

  it('makes no field where the option headers is false', () => {
    expect(headersFor(decision, { headers: false })).toEqual([])
    expect(headersFor(decision, { headers: undefined, epochMs: undefined })).toHaveLength(2)
  })

  it.each<[object | string, string, string]>([
    [
      { headers: [draft11, 'draft-99'] },
      'RAIL_BAD_OPTION',
      'headers: expected header styles, or false, got "draft-99". Import draft11 and write headers: draft11, or headers: false.',
    ],
    [
      { headers: [draft11, draft7] },
      'RAIL_BAD_OPTION',
      'headers: draft11 and draft7 both send RateLimit-Policy. Remove one.',
    ],
    [{ epochMs: Number.NaN }, 'RAIL_BAD_OPTION', 'epochMs: expected milliseconds since 1970, got NaN.'],
    [{ epochMs: '0' }, 'RAIL_BAD_OPTION', 'epochMs: expected milliseconds since 1970, got "0".'],
    [{ header: draft6 }, 'RAIL_UNKNOWN_OPTION', 'header: not an option of headersFor(). Did you mean "headers"?'],
    ['draft-6', 'RAIL_BAD_OPTION', 'headersFor(): expected an object of options, got "draft-6".'],
  ])('refuses wrong options: %o', (options, code, message) => {
    expect(() => headersFor(decision, options as HeaderOptions)).toThrow(expect.objectContaining({ code, message }))
  })
})

describe('exposed headers', () => {
  it('names the fields that are sent, of every style, but not what browsers show anyway', async () => {
    const clock = manualClock(AT)
    const { headers } = await outcomeOf({ headers: exposed([draft6, xRateLimit]), clock, cost: 2 })
    expect(headers.find(({ name }) => name === 'Access-Control-Expose-Headers')).toEqual({
      name: 'Access-Control-Expose-Headers',
      value:
        'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Used, X-RateLimit-Reset',
      merge: 'list',
    })
  })

  it('names Retry-After where it is sent', async () => {
    const limiter = createLimiter<string>({ identify: (key) => key, limits: [perSecond(1)], headers: exposed(draft11) })
    await limiter.take('acme')
    const { headers } = await limiter.take('acme')
    expect(headers[2]?.value).toBe('RateLimit-Policy, RateLimit, Retry-After')
  })

  it('is off by default', async () => {
    const { headers } = await outcomeOf({})
    expect(headers.map((field) => field.name)).toEqual(['RateLimit-Policy', 'RateLimit'])
  })
})
