import { describe, expect, test } from 'vitest'
import {
  type Charge,
  createLimiter,
  createPlanBook,
  draft6,
  draft11,
  headersFor,
  type Limit,
  limit,
  MemoryStore,
  manualClock,
  type PlanLimits,
  perMinute,
  perSecond,
  planProblems,
  several,
} from '../../src/index.js'
import { checkFieldSize } from '../../src/limit/check-field-size.js'
import { fieldBytes } from '../../src/limit/field-size.js'

const many = (count: number, prefix = 'endpoint'): Limit[] =>
  Array.from({ length: count }, (_, index) => limit({ name: `${prefix}_${100 + index}`, tokens: 100, per: '1m' }))
const named = (count: number, prefix?: string): PlanLimits =>
  Object.fromEntries(many(count, prefix).map(({ name }) => [name, { tokens: 100, per: '1m' }]))

/** The sum of the two values that a response has. */
const sent = (limits: readonly Limit[], scope = '', remaining = 'full'): number => {
  const statuses = limits.map((one) => ({
    ...{ limit: one, scope, key: 'a', cost: 1, refused: false },
    remaining: remaining === 'full' ? one.burst : 0,
    retryAfterMs: 2 ** 53,
    fullAfterMs: 2 ** 53,
  }))
  const decision = { allowed: true, limits: statuses, refusedBy: [], retryAfterMs: 0 }
  return headersFor(decision).reduce((sum, { value }) => sum + value.length, 0)
}

test('the size is that of the longest values that are ever sent', () => {
  const limits = [
    perSecond(10),
    limit({ name: 'a"b\\c', tokens: 1, per: '1s', burst: 900_000_000_000 }),
    limit({ name: 'slow', tokens: 1, per: '300d', burst: 90 }),
  ]
  for (const scope of ['', 'writes', 'schreib ä 🙂']) {
    // The two commas before the first limit are not sent.
    expect(fieldBytes(scope, limits)).toBe(sent(limits, scope) + 4)
    expect(fieldBytes(scope, limits)).toBeGreaterThan(sent(limits, scope, 'empty'))
  }
})

describe('a plan whose headers would pass 4 kB', () => {
  const message =
    'expected RateLimit-Policy and RateLimit of at most 4096 bytes, got up to 17700: clients cannot read more. Use fewer limits, or shorter names of limits and scopes.'

  test('is an error that has its name, its bytes and what to do', () => {
    const document = { plans: { free: { limits: { per_second: 10 } }, big: { limits: named(300) } } }
    expect(fieldBytes('', many(300))).toBe(17_700)
    expect(planProblems(document)).toEqual([{ path: ['plans', 'big'], message }])
    expect(() => createPlanBook(document)).toThrow(
      expect.objectContaining({ code: 'RAIL_BAD_PLAN', message: `plans.big: ${message}` }),
    )
    const book = createPlanBook({ plans: { free: { limits: { per_second: 10 } } }, defaultPlan: 'free' })
    expect(() => book.update({ plans: document.plans })).toThrow(/^plans\.big: expected RateLimit-Policy/)
    expect(book.limitsFor('acme', '')).toHaveLength(1)
  })

  test('begins above 4,096 bytes', () => {
    const plan = (last: string): object => ({
      plans: { a: { limits: { ...named(68), [last]: { tokens: 1, per: '1m' } } } },
    })
    expect(fieldBytes('', many(68))).toBe(4_012)
    expect(fieldBytes('', [limit({ name: 'x'.repeat(26), tokens: 1, per: '1m' })])).toBe(83)
    expect(planProblems(plan('x'.repeat(26)))).toEqual([])
    expect(planProblems(plan('x'.repeat(27)))).toHaveLength(1)
  })

  test('counts the scope in each name, and two scopes at most: a request has no more', () => {
    const scopes = (count: number, length: number): object => ({
      plans: {
        a: {
          scopes: Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index}`, named(length, 's')])),
        },
      },
    })
    expect(planProblems(scopes(30, 30))).toEqual([])
    expect(planProblems(scopes(2, 60))).toHaveLength(1)
    const long = 'x'.repeat(9_000)
    expect(planProblems({ plans: { a: { scopes: { [long]: { per_second: 1 } } } } })).toMatchObject([
      { path: ['plans', 'a'], message: expect.stringContaining('got up to 18') },
    ])
  })

  test("by a customer's overrides is an error too, of the customer", () => {
    const plans = { a: { limits: named(68), scopes: { writes: {} } } }
    const customer = (tokens: number | 'no-limit'): object => ({
      plan: 'a',
      overrides: { per_second: tokens, 'writes.per_minute': tokens },
    })
    expect(planProblems({ plans, customers: { acme: customer(1) } })).toMatchObject([
      { path: ['customers', 'acme', 'overrides'], message: expect.stringContaining('RateLimit-Policy') },
    ])
    expect(planProblems({ plans, customers: { acme: customer('no-limit') } })).toEqual([])
  })
})

describe('limits in code whose headers would pass 4 kB', () => {
  const identify = (): string => 'acme'
  const error = expect.objectContaining({
    code: 'RAIL_BAD_LIMITS',
    message:
      'limits: expected RateLimit-Policy and RateLimit of at most 4096 bytes, got 17700. Use fewer limits or shorter names, or another header style.',
  })

  test('are an error when the limiter is made', () => {
    expect(() => createLimiter({ identify, limits: many(300) })).toThrow(error)
    expect(() => createLimiter({ identify, limits: many(65), scope: 'writes' })).toThrow(/got 4\d\d\d\./)
    expect(() => createLimiter({ identify, limits: many(65) })).not.toThrow()
  })

  test('are an error when a route is made, which adds its own', () => {
    const limiter = createLimiter({ identify, limits: many(40) })
    expect(() => limiter.with({ scope: 'writes', limits: many(40) })).toThrow(/^limits: expected RateLimit-Policy/)
    expect(() => limiter.with({ scope: 'writes', limits: [perMinute(5)] })).not.toThrow()
  })

  test('are none with a style that sends one limit', () => {
    expect(() => createLimiter({ identify, limits: many(300), headers: draft6 })).not.toThrow()
    expect(() => createLimiter({ identify, limits: many(300), headers: false })).not.toThrow()
    expect(() => checkFieldSize(draft11, [['', () => many(300)]])).not.toThrow()
  })
})

describe('limits that are found on a request, whose headers would pass 4 kB', () => {
  const error = expect.objectContaining({
    code: 'RAIL_BAD_LIMITS',
    message: expect.stringContaining('at most 4096 bytes'),
  })
  const store = new MemoryStore()
  const book = createPlanBook({ plans: { a: { limits: named(40) } }, defaultPlan: 'a' })
  const identify = (): string => 'acme'
  const charge = (key: string, count: number, scope = ''): Charge => ({
    key,
    limits: many(count, `endpoint_${key}`),
    cost: 1,
    scope,
  })

  test.each<[string, object, object]>([
    ['of several charges, each of which would fit', { charges: several(() => [charge('a', 40), charge('b', 40)]) }, {}],
    ['of one of several charges', { charges: several(() => [charge('a', 300)]) }, {}],
    ['of a function', { identify, limits: () => many(300) }, {}],
    ['of a promise', { identify, limits: async () => many(300) }, {}],
    ['of the function of a route', { identify, limits: many(40) }, { scope: 'a', limits: () => many(40) }],
    ['of a plan and of a route', { identify, limits: book }, { scope: 'a', limits: many(40) }],
  ])('are an error, and nothing is taken: %s', async (_, options, route) => {
    const limiter = createLimiter({ ...options, store } as never).with(route)
    for (let take = 1; take <= 2; take++) await expect((async () => limiter.take({}))()).rejects.toEqual(error)
    expect(store.size).toBe(0)
  })

  test('are an error when their scope grows', () => {
    let scope = 'x'
    const limits = many(40)
    const limiter = createLimiter({ charges: several(() => [{ key: 'acme', limits, cost: 1, scope }]) })
    limiter.take({})
    scope = 'x'.repeat(40)
    expect(() => limiter.take({})).toThrow(error)
  })

  test('are none with a style that sends one limit', async () => {
    const limiter = createLimiter({ identify, limits: () => many(300), headers: draft6 })
    expect((await limiter.take({})).decision?.allowed).toBe(true)
  })
})

test('a plan of the largest size is sent within 4 kB', async () => {
  const book = createPlanBook({ plans: { a: { limits: named(68) } }, defaultPlan: 'a' })
  const limiter = createLimiter({ identify: () => 'acme', limits: book, clock: manualClock() })
  const { headers } = await limiter.take({})
  expect(headers.reduce((sum, { value }) => sum + value.length, 0)).toBeLessThanOrEqual(4_096)
})
