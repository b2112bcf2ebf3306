import { describe, expect, it } from 'vitest'
import { mergeField, mergeFields } from '../../src/headers/field.js'
import {
  createLimiter,
  draft6,
  draft7,
  draft11,
  type Field,
  type HeaderStyle,
  type Limit,
  type Limiter,
  limit,
  manualClock,
  perMinute,
  perSecond,
  xRateLimit,
} from '../../src/index.js'

type Sent = Record<string, string>

/** A response's fields after `fields` have met them, name by name as an adapter does it. */
function merged(there: Sent, fields: readonly Field[]): Sent {
  const all = { ...there }
  for (const { name, value } of mergeFields((name) => there[name], fields)) all[name] = value
  return all
}

function limiterOf(limits: readonly Limit[], headers: HeaderStyle, cost = 1): Limiter<object> {
  return createLimiter<object>({
    identify: () => 'acme',
    limits,
    headers,
    cost: () => cost,
    clock: manualClock(1_700_000_000_000),
  })
}

async function fieldsOf(limits: readonly Limit[], headers: HeaderStyle, cost = 1): Promise<readonly Field[]> {
  const { headers: fields } = await limiterOf(limits, headers, cost).take({})
  return fields
}

const few = limit({ name: 'few', tokens: 5, per: '10s' })
const many = limit({ name: 'many', tokens: 500, per: '1s' })

describe('a list', () => {
  const field = (value: string, instead?: string): Field => ({ name: 'RateLimit', value, merge: 'list', instead })

  it.each([
    { there: undefined, value: '"a";r=1', is: '"a";r=1' },
    { there: '"a";r=1', value: '"b";r=2', is: '"a";r=1, "b";r=2' },
    { there: '"a";r=1,"b";r=2', value: '"c";r=3', is: '"a";r=1, "b";r=2, "c";r=3' },
    { there: '"a, b";r=1', value: '"b";r=2', is: '"a, b";r=1, "b";r=2' },
    { there: '"a\\", b";r=1', value: '"c";r=2', is: '"a\\", b";r=1, "c";r=2' },
    { there: '"a,b";r=1', value: '"c,d";r=2', is: '"a,b";r=1, "c,d";r=2' },
    { there: '"a\\",b";r=1', value: '"c\\\\";r=2', is: '"a\\",b";r=1, "c\\\\";r=2' },
  ])('joins $there with $value', ({ there, value, is }) => {
    expect(mergeField(there, field(value))).toBe(is)
  })

  it.each([
    ['"a";r=1', '"a";r=1'],
    ['"a";r=1, "b";r=2', '"b";r=2'],
    ['"a";r=1, "b";r=2', '"b";r=2, "a";r=1'],
  ])('has no member twice: %s with %s', (there, value) => {
    expect(mergeField(there, field(value))).toBe(there)
  })

  it('takes out what the same limiter said before, wherever it stands', () => {
    expect(mergeField('"x";r=9, "a";r=1, "b";r=2, "y";r=8', field('"a";r=0, "b";r=1', '"a";r=1, "b";r=2'))).toBe(
      '"x";r=9, "y";r=8, "a";r=0, "b";r=1',
    )
    expect(mergeField('"a";r=1', field('"a";r=0', '"a";r=1'))).toBe('"a";r=0')
  })

  it.each(['limit=100, remaining=50, reset=30', '"unfinished', '"a";r=1,', 'é', '', ','])(
    'is not joined with a malformed %j, which would make clients ignore ours too',
    (there) => {
      expect(mergeField(there, field('"a";r=1'))).toBe('"a";r=1')
    },
  )

  it('of names to expose keeps the names of others, a star too', () => {
    const expose: Field = { name: 'Access-Control-Expose-Headers', value: 'RateLimit, Retry-After', merge: 'list' }
    expect(mergeField('X-Request-Id, RateLimit', expose)).toBe('X-Request-Id, RateLimit, Retry-After')
    expect(mergeField('*', expose)).toBe('*, RateLimit, Retry-After')
  })
})

describe('the larger', () => {
  const field: Field = { name: 'Retry-After', value: '5', merge: 'larger' }

  it.each([
    { there: undefined, is: '5' },
    { there: '4', is: '5' },
    { there: '6', is: '6' },
    { there: '1, 30', is: '30' },
    { there: '5', is: '5' },
    { there: 'Wed, 21 Oct 2015 07:28:00 GMT', is: '5' },
    { there: 'NaN', is: '5' },
    { there: '-9', is: '5' },
    { there: '6.5', is: '5' },
    { there: '', is: '5' },
    { there: '999999999', is: '2147483' },
    { there: '9'.repeat(400), is: '5' },
  ])('of $there and 5 is $is', ({ there, is }) => {
    expect(mergeField(there, field)).toBe(is)
  })

  it('gives way to a later answer of the same limiter', () => {
    expect(mergeField('9', { ...field, instead: '9' })).toBe('5')
  })
})

it('a field that replaces does', () => {
  expect(mergeField('public, max-age=300', { name: 'Cache-Control', value: 'no-store', merge: 'replace' })).toBe(
    'no-store',
  )
})

describe.each([draft7, draft6, xRateLimit] as const)('the tightest of two limiters in %s', (style) => {
  it('is told whole, whichever comes first', async () => {
    const [a, b] = [await fieldsOf([few], style), await fieldsOf([many], style)]
    const tightest = merged({}, a)
    for (const both of [merged(merged({}, a), b), merged(merged({}, b), a)]) {
      expect({ ...both, 'RateLimit-Policy': '' }).toEqual({ ...tightest, 'RateLimit-Policy': '' })
    }
  })

  it('is of equals the one that was there first', async () => {
    const slow = limit({ name: 'slow', tokens: 5, per: '1h' })
    const [a, b] = [await fieldsOf([few], style), await fieldsOf([slow], style)]
    expect({ ...merged(merged({}, a), b), 'RateLimit-Policy': '' }).toEqual({
      ...merged({}, a),
      'RateLimit-Policy': '',
    })
    expect({ ...merged(merged({}, b), a), 'RateLimit-Policy': '' }).toEqual({
      ...merged({}, b),
      'RateLimit-Policy': '',
    })
  })

  it('is the one that refused, although the other has fewer left', async () => {
    const [a, refused] = [await fieldsOf([few], style, 5), await fieldsOf([many], style, 501)]
    expect(merged(merged({}, a), refused)).toMatchObject(
      Object.fromEntries(refused.filter(({ merge }) => merge === 'tightest').map(({ name, value }) => [name, value])),
    )
  })

  it('does not change when it is merged again', async () => {
    for (const [first, second] of [
      [few, many],
      [many, few],
    ] as const) {
      const [a, b] = [await fieldsOf([first], style), await fieldsOf([second], style)]
      const once = merged(merged({}, a), b)
      expect(merged(once, b)).toEqual(once)
      expect(merged(once, a)).toEqual(once)
    }
  })

  it('gives way to a later answer of the same limiter, even a looser one', async () => {
    const limiter = limiterOf([few], style)
    const request = {}
    const { headers: earlier } = await limiter.take(request)
    const { headers: later } = await limiter.with({ cost: 0 }).take(request)
    const alone = later.map(({ instead, standing, ...field }) => ({
      ...field,
      ...(standing === undefined ? {} : { standing: standing.replacing(undefined) }),
    }))
    expect(merged(merged({}, earlier), later)).toEqual(merged({}, alone))
    expect(merged({}, alone)).not.toEqual(merged({}, earlier))
  })
})

describe('the tightest of ours and an upstream’s', () => {
  const ours = { 'RateLimit-Limit': '5', 'RateLimit-Remaining': '4', 'RateLimit-Reset': '2' }

  it.each([
    { why: 'fewer left', limit: '100', remaining: '3', reset: '30' },
    { why: 'as many left', limit: '100', remaining: '4', reset: '30' },
    { why: 'spaces around', limit: ' 100 ', remaining: ' 0 ', reset: ' 30' },
  ])('is theirs, whole, with $why', async ({ limit, remaining, reset }) => {
    const theirs = { 'RateLimit-Limit': limit, 'RateLimit-Remaining': remaining, 'RateLimit-Reset': reset }
    expect(merged(theirs, await fieldsOf([few], draft6))).toEqual(theirs)
  })

  it.each([
    { why: 'more left', theirs: { 'RateLimit-Limit': '100', 'RateLimit-Remaining': '50', 'RateLimit-Reset': '30' } },
    { why: 'no limit told', theirs: { 'RateLimit-Remaining': '0', 'RateLimit-Reset': '30' } },
    { why: 'no reset told', theirs: { 'RateLimit-Limit': '100', 'RateLimit-Remaining': '0' } },
    { why: 'a fraction', theirs: { 'RateLimit-Limit': '9', 'RateLimit-Remaining': '1.5', 'RateLimit-Reset': '30' } },
    { why: 'a list', theirs: { 'RateLimit-Limit': '9, 9;w=1', 'RateLimit-Remaining': '1', 'RateLimit-Reset': '3' } },
    { why: 'a negative', theirs: { 'RateLimit-Limit': '9', 'RateLimit-Remaining': '-1', 'RateLimit-Reset': '3' } },
    { why: 'no number', theirs: { 'RateLimit-Limit': '9', 'RateLimit-Remaining': 'NaN', 'RateLimit-Reset': '3' } },
  ])('is ours, whole, where theirs has $why', async ({ theirs }) => {
    expect(merged(theirs, await fieldsOf([few], draft6))).toEqual(ours)
  })

  it('says what was used of theirs, where it does not', async () => {
    const theirs = { 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '2', 'X-RateLimit-Reset': '1700000009' }
    const fields = await fieldsOf([few], xRateLimit)
    expect(merged(theirs, fields)).toEqual({ ...theirs, 'X-RateLimit-Used': '58' })
    expect(merged({ ...theirs, 'X-RateLimit-Used': '57' }, fields)).toEqual({ ...theirs, 'X-RateLimit-Used': '57' })
  })

  it.each(['limit=9, remaining=0', '"a";r=1;t=2', 'limit=9, remaining=0.5, reset=1', 'remaining', ''])(
    'is ours in draft-7, where theirs is %j',
    async (theirs) => {
      expect(merged({ RateLimit: theirs }, await fieldsOf([few], draft7))).toMatchObject({
        RateLimit: 'limit=5, remaining=4, reset=2',
      })
    },
  )

  it('is ours, whole, where a field is merged alone: half a group cannot be compared', async () => {
    for (const field of await fieldsOf([few], draft6)) expect(mergeField('0', field)).toBe(field.value)
  })
})

it('two limiters make two lists of draft-11, and one Retry-After', async () => {
  const [a, b] = [await fieldsOf([perSecond(10)], draft11), await fieldsOf([perMinute(1)], draft11, 2)]
  expect(merged(merged({ 'Retry-After': '3' }, a), b)).toEqual({
    'RateLimit-Policy': '"per_second";q=10;w=1, "per_minute";q=1;w=60',
    RateLimit: '"per_second";r=9;t=1, "per_minute";r=1',
    'Retry-After': '3',
    'x-should-retry': 'false',
    'Cache-Control': 'no-store',
  })
})

describe('a name has no more states than policies', () => {
  const policy = (name: string, quota = 9) => `"${name}";q=${quota};w=60`
  it.each([
    ['the tighter is sent', '"a";r=3;t=5', '"a";r=4;t=4', '"a";r=3;t=5'],
    ['whichever it is', '"a";r=10;t=5', '"a";r=9;t=6', '"a";r=9;t=6'],
    ['others stay', '"b";r=9;t=1, "a";r=1;t=1', '"a";r=0;t=1', '"b";r=9;t=1, "a";r=0;t=1'],
  ])('%s: %s and %s', (_, existing, value, sent) => {
    const there = new Map([
      ['RateLimit-Policy', `${policy('b')}, ${policy('a')}`],
      ['RateLimit', existing],
    ])
    const fields: Field[] = [
      { name: 'RateLimit-Policy', value: policy('a'), merge: 'list' },
      { name: 'RateLimit', value, merge: 'list' },
    ]
    for (let times = 0; times < 2; times++) {
      for (const field of mergeFields((name) => there.get(name), fields)) there.set(field.name, field.value)
      expect(there.get('RateLimit')).toBe(sent)
    }
  })

  it('two limiters with different limits of one name send both', () => {
    const there = new Map([
      ['RateLimit-Policy', policy('a', 5)],
      ['RateLimit', '"a";r=4;t=5'],
    ])
    const fields: Field[] = [
      { name: 'RateLimit-Policy', value: policy('a'), merge: 'list' },
      { name: 'RateLimit', value: '"a";r=8;t=6', merge: 'list' },
    ]
    expect(mergeFields((name) => there.get(name), fields)[1]?.value).toBe('"a";r=4;t=5, "a";r=8;t=6')
  })
})

describe('a list that is merged again', () => {
  it('is as it was, also where a display string there has a backslash, which escapes nothing in it', () => {
    const field = { name: 'RateLimit', value: '"a, b";r=1', merge: 'list' } as const
    const once = mergeField('%"C:\\"', field)
    expect(once).toBe('%"C:\\", "a, b";r=1')
    expect(mergeField(once, field)).toBe(once)
  })

  it('keeps its order, where a member of it is what the limiter said before too', () => {
    const field = { name: 'RateLimit', value: '"a";r=1, "b";r=2', merge: 'list', instead: '"a";r=1' } as const
    const once = mergeField('"a";r=1', field)
    expect(once).toBe('"a";r=1, "b";r=2')
    expect(mergeField(once, field)).toBe(once)
  })
})
