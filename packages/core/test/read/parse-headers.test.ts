import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeFields } from '../../src/headers/field.js'
import {
  createLimiter,
  draft6,
  draft7,
  draft11,
  type HeaderStyle,
  limit,
  manualClock,
  perDay,
  perMinute,
  perSecond,
  xRateLimit,
} from '../../src/index.js'
import { type HeaderSource, parseHeaders } from '../../src/read/parse-headers.js'
import type { ParsedLimit } from '../../src/read/parsed-limit.js'

const NOW = 1_700_000_000_000

const limitsIn = (headers: HeaderSource): readonly ParsedLimit[] => parseHeaders(headers, NOW).limits

async function fieldsOf(style: HeaderStyle | HeaderStyle[]): Promise<Record<string, string>> {
  const limiter = createLimiter<string>({
    identify: (key) => key,
    limits: [perSecond(10), perMinute(300)],
    headers: style,
    clock: manualClock(NOW),
  })
  const { headers } = await limiter.take('acme')
  return Object.fromEntries(headers.map(({ name, value }) => [name, value]))
}

describe('every style of ours', () => {
  const tightest = { quota: 10, remaining: 9, resetAfterMs: 1_000 }
  const both = [
    { ...tightest, name: 'per_second', windowMs: 1_000 },
    { name: 'per_minute', quota: 300, windowMs: 60_000, remaining: 299, resetAfterMs: 1_000 },
  ]

  it.each([
    { style: draft11, is: both },
    { style: draft7, is: [{ ...tightest, windowMs: 1_000 }] },
    { style: draft6, is: [tightest] },
    { style: xRateLimit, is: [tightest] },
    { style: [xRateLimit, draft6, draft11], is: both },
    { style: [draft7, xRateLimit], is: [{ ...tightest, windowMs: 1_000 }] },
  ] as { style: HeaderStyle | HeaderStyle[]; is: ParsedLimit[] }[])(
    'is read as it is sent: $style',
    async ({ style, is }) => {
      expect(limitsIn(await fieldsOf(style))).toEqual(is)
    },
  )

  it('is read with any name a limit may have', () => {
    const name = fc.string({ unit: fc.constantFrom(...' "\\,;=a~'), minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(name, (name) => {
        const limiter = createLimiter<string>({ identify: (key) => key, limits: [perDay(9, { name })] })
        const { headers } = limiter.take('acme') as Awaited<ReturnType<typeof limiter.take>>
        expect(limitsIn(Object.fromEntries(headers.map(({ name, value }) => [name, value])))).toEqual([
          { name, quota: 9, windowMs: 86_400_000, remaining: 8, resetAfterMs: 9_600_000 },
        ])
      }),
      { seed: 3, numRuns: 500 },
    )
  })

  it('of two limiters with one name is read with each its own policy', () => {
    const there: Record<string, string> = {}
    for (const tokens of [10, 20]) {
      const limiter = createLimiter<string>({
        identify: (key) => key,
        limits: [perSecond(tokens)],
        clock: manualClock(),
      })
      const { headers } = limiter.take('acme') as Awaited<ReturnType<typeof limiter.take>>
      for (const { name, value } of mergeFields((name) => there[name], headers)) there[name] = value
    }
    expect(limitsIn(there)).toMatchObject([
      { quota: 10, remaining: 9 },
      { quota: 20, remaining: 19 },
    ])
  })
})

describe('the list of RateLimit', () => {
  const one = (field: string, policy?: string): readonly ParsedLimit[] =>
    limitsIn({ RateLimit: field, 'RateLimit-Policy': policy } as HeaderSource)

  // The examples of draft-ietf-httpapi-ratelimit-headers-11.
  it.each([
    { field: '"default";r=50;t=30', is: [{ name: 'default', remaining: 50, resetAfterMs: 30_000 }] },
    { field: '"default";r=999;pk=:dHJpYWwxMjEzMjM=:', is: [{ name: 'default', remaining: 999 }] },
    {
      field: '"default";r=300000000;t=60;pk=:QXBwLTk5OQ==:',
      is: [{ name: 'default', remaining: 300_000_000, resetAfterMs: 60_000 }],
    },
    { field: '"daily";r=1;t=86400', is: [{ name: 'daily', remaining: 1, resetAfterMs: 86_400_000 }] },
    {
      field: '"day";r=100;t=36000',
      policy: '"hour";q=1000;w=3600, "day";q=5000;w=86400',
      is: [{ name: 'day', quota: 5000, windowMs: 86_400_000, remaining: 100, resetAfterMs: 36_000_000 }],
    },
    {
      field: '"sliding";r=50;t=44',
      policy: '"sliding";q=100;w=60;burst=1000, "fixed";q=5000;w=3600;burst=0',
      is: [{ name: 'sliding', quota: 100, windowMs: 60_000, remaining: 50, resetAfterMs: 44_000 }],
    },
    {
      field: '"peruser";r=1',
      policy: '"peruser";q=100;w=60;pk=:cHsdsRa894==:',
      is: [{ name: 'peruser', quota: 100, windowMs: 60_000, remaining: 1 }],
    },
    {
      field: '"peruser";r=1',
      policy: '"peruser";q=65535;qu="content-bytes";w=10;pk=:sdfjLJUOUH==:',
      is: [{ name: 'peruser', quota: 65535, windowMs: 10_000, remaining: 1 }],
    },
    { field: '"default";r=0;t=0', is: [{ name: 'default', remaining: 0, resetAfterMs: 0 }] },
  ])('is read: $field', ({ field, policy, is }) => {
    expect(one(field, policy)).toEqual(is)
  })

  it.each([
    { why: 'tokens as names', field: 'default;r=50;t=30', policy: 'default;q=100;w=60' },
    { why: 'a for r and w for t', field: '"default";a=50;w=30;c=1', policy: '"default";q=100;w=60' },
    { why: 'names that differ in case', field: '"Default";r=50;t=30', policy: '"default";q=100;w=60' },
    { why: 'a token for a string', field: '"default";r=50;t=30', policy: 'default;q=100;w=60' },
    {
      why: 'parameters in any order, unknown ones of every type',
      field: '"default";t=30;x=@5;y=%"c%c3%bc";z=?0;r=50;b=1.5;d=:aA==:;e=tok;f',
      policy: '"default";w=60;acme-x="a, b";q=100',
    },
    {
      why: 'a tab and no spaces between members',
      field: '"default";r=50;t=30,\t("a" "b");r=1',
      policy: '"x";q=1,"default";q=100;w=60',
    },
    { why: 'a parameter twice: the last counts', field: '"default";r=1;r=50;t=1;t=30', policy: '"default";q=100;w=60' },
    { why: 'zeros in front, spaces around', field: '  "default";r=0050; t=030  ', policy: ' "default";q=100;w=60' },
  ])('is read with $why', ({ field, policy }) => {
    expect(one(field, policy).map(({ name, ...numbers }) => ({ name: name?.toLowerCase(), ...numbers }))).toEqual([
      { name: 'default', quota: 100, windowMs: 60_000, remaining: 50, resetAfterMs: 30_000 },
    ])
  })

  it.each([
    '"default" ;r=50',
    '"default";r=50;t=30,',
    '"default";R=50',
    '"default";r=1e3',
    '"default";r=+5',
    '"default";r=1000000000000000',
    '"é";r=1',
    '"tab\tx";r=1',
    "'default';r=1",
    '"a";r=1, "b";r=',
    '"a";r=1 "b";r=2',
    '"a\\x";r=1',
    '',
    ' ',
  ])('is ignored whole when malformed: %j', (field) => {
    expect(one(`${field}`)).toEqual([])
    expect(one(`"good";r=5, ${field}`)).toEqual([])
  })

  it.each([
    '"default";r=50.0',
    '"default";r=-1',
    '"default";r=NaN',
    '"default";r',
    '"default"',
    '("a" "b");r=1',
    '5;r=1',
    '?1;r=1',
    ':aA==:;r=1',
  ])('ignores only the unusable member: %s', (member) => {
    expect(one(`"a";r=1, ${member}, "b";r=2`)).toEqual([
      { name: 'a', remaining: 1 },
      { name: 'b', remaining: 2 },
    ])
  })

  it('keeps what is usable of a member', () => {
    expect(one('"a";r=1;t=-5', '"a";q=-1;w=0')).toEqual([{ name: 'a', remaining: 1 }])
    expect(one('"a";r=1;t=1.5', '"a";q=10;w="x"')).toEqual([{ name: 'a', remaining: 1, quota: 10 }])
    expect(one('"a";r=1', 'limit=100')).toEqual([{ name: 'a', remaining: 1 }])
  })

  it('bounds what is absurd by what is exact', () => {
    expect(one('"a";r=999999999999999;t=999999999999999', '"a";q=999999999999999;w=999999999999999')).toEqual([
      {
        name: 'a',
        quota: 999_999_999_999_999,
        windowMs: Number.MAX_SAFE_INTEGER,
        remaining: 999_999_999_999_999,
        resetAfterMs: Number.MAX_SAFE_INTEGER,
      },
    ])
  })

  it('is read under Atlassian’s name for it', () => {
    expect(limitsIn({ 'Beta-RateLimit': '"a";r=1;t=2', 'Beta-RateLimit-Policy': '"a";q=9;w=3' })).toEqual([
      { name: 'a', quota: 9, windowMs: 3_000, remaining: 1, resetAfterMs: 2_000 },
    ])
  })
})

describe('the dictionary of RateLimit, revision 07', () => {
  it.each([
    {
      field: 'limit=100, remaining=50, reset=5',
      policy: '100;w=60',
      is: [{ quota: 100, windowMs: 60_000, remaining: 50, resetAfterMs: 5_000 }],
    },
    {
      field: 'remaining=50;x=1,limit=100',
      policy: '10;w=1, 100;w=3600',
      is: [{ quota: 100, windowMs: 3_600_000, remaining: 50 }],
    },
    { field: 'limit=100, reset=5', is: [] },
    { field: 'limit=100, remaining=-5, reset=5', is: [] },
    { field: 'limit=100, remaining=0.5, reset=5', is: [] },
    { field: 'limit=100, remaining=(1 2), reset=5', is: [] },
    { field: 'limit=100, remaining=50, reset=5,', is: [] },
    { field: 'limit=x, remaining=50, reset=x', is: [{ remaining: 50 }] },
  ])('is read: $field', ({ field, policy, is }) => {
    expect(limitsIn({ RateLimit: field, 'RateLimit-Policy': policy } as HeaderSource)).toEqual(is)
  })
})

describe('RateLimit-Limit and its like, revisions 00 to 06', () => {
  const trio = (limit: string, more: Record<string, string> = {}): readonly ParsedLimit[] =>
    limitsIn({ 'RateLimit-Limit': limit, 'RateLimit-Remaining': '50', 'RateLimit-Reset': '30', ...more })

  it.each([
    { limit: '100', is: {} },
    { limit: '100, 100;w=10', is: { windowMs: 10_000 } },
    { limit: '100, 10;w=1;burst=1000, 100;w=3600', is: { windowMs: 3_600_000 } },
    { limit: '100', policy: '10;w=1, 50;w=60, 100;w=3600', is: { windowMs: 3_600_000 } },
    { limit: '100;comment=x', is: {} },
  ])('are read: $limit with policy $policy', ({ limit, policy, is }) => {
    expect(trio(limit, policy === undefined ? {} : { 'RateLimit-Policy': policy })).toEqual([
      { quota: 100, remaining: 50, resetAfterMs: 30_000, ...is },
    ])
  })

  it.each(['', 'many', '1e3', '100,'])('are read without a limit that is malformed: %j', (limit) => {
    expect(trio(limit)).toEqual([{ remaining: 50, resetAfterMs: 30_000 }])
  })

  it.each(['', 'NaN', 'Infinity', '1e3', '0x10', '5, 3', 'null', 'undefined'])(
    'are ignored when %j is left',
    (remaining) => {
      expect(trio('100', { 'RateLimit-Remaining': remaining })).toEqual([])
    },
  )

  it('give 0 for a negative number', () => {
    expect(trio('100', { 'RateLimit-Remaining': '-7' })).toMatchObject([{ remaining: 0 }])
  })
})

describe('any form of header fields', () => {
  const is = { limits: [{ name: 'a', remaining: 1 }], retryAfterMs: 2_000, stale: false }

  it.each([
    { form: 'Headers', headers: new Headers({ RateLimit: '"a";r=1', 'Retry-After': '2' }) },
    {
      form: 'a Map',
      headers: new Map([
        ['ratelimit', '"a";r=1'],
        ['retry-after', '2'],
      ]),
    },
    {
      form: 'a Map of numbers and lines',
      headers: new Map<string, unknown>([
        ['ratelimit', ['"a";r=1']],
        ['retry-after', 2],
      ]),
    },
    { form: 'an object with names in any case', headers: { rAtElImIt: '"a";r=1', 'RETRY-AFTER': 2 } },
    { form: 'lines in an array', headers: { ratelimit: ['"a";r=1'], 'retry-after': ['2'], cookie: undefined } },
    { form: 'a function', headers: (name: string) => ({ ratelimit: '"a";r=1', 'retry-after': '2' })[name] },
    {
      form: 'a function that knows null',
      headers: (name: string) => new Headers({ RateLimit: '"a";r=1', 'Retry-After': '2' }).get(name),
    },
  ] as unknown as { form: string; headers: HeaderSource }[])('is read: $form', ({ headers }) => {
    expect(parseHeaders(headers)).toEqual(is)
  })

  it('joins several lines into one list', () => {
    expect(limitsIn({ RateLimit: ['"a";r=1', '"b";r=2'] })).toHaveLength(2)
    const headers = new Headers()
    headers.append('RateLimit', '"a";r=1')
    headers.append('RateLimit', '"b";r=2')
    expect(limitsIn(headers)).toHaveLength(2)
  })

  it('gives no limit and no wait for a response without headers', () => {
    expect(parseHeaders({})).toEqual({ limits: [], stale: false })
    expect(parseHeaders(new Headers())).toEqual({ limits: [], stale: false })
  })

  it.each([
    { what: 'a response of fetch', response: new Response('', { headers: { RateLimit: '"a";r=1' } }) },
    { what: "another client's response", response: { status: 200, headers: { ratelimit: '"a";r=1' } } },
  ])('refuses $what in place of its headers', ({ response }) => {
    expect(() => parseHeaders(response as unknown as HeaderSource)).toThrow(
      'parseHeaders(): expected headers, got an object. Pass response.headers.',
    )
  })
})

it.each([
  { age: undefined, stale: false },
  { age: '0', stale: false },
  { age: '00', stale: false },
  { age: '1', stale: true },
  { age: ' 86400 ', stale: true },
  { age: '9'.repeat(400), stale: true },
  { age: '-1', stale: false },
  { age: 'old', stale: false },
])('a response of the age $age is stale: $stale', ({ age, stale }) => {
  expect(parseHeaders({ RateLimit: '"a";r=1', Age: age } as HeaderSource)).toMatchObject({ limits: [{}], stale })
})

it('reads what a large window sends', () => {
  const limits = [limit({ name: 'monthly', tokens: 10_000, per: '30d' })]
  const { headers } = createLimiter<string>({ identify: (key) => key, limits }).take('a') as {
    headers: readonly { name: string; value: string }[]
  }
  expect(limitsIn(Object.fromEntries(headers.map(({ name, value }) => [name, value])))).toMatchObject([
    { quota: 10_000, windowMs: 30 * 86_400_000 },
  ])
})
