import { describe, expect, test } from 'vitest'
import {
  createLimiter,
  type LimiterOptions,
  limit,
  MemoryStore,
  perMinute,
  perSecond,
  RailError,
} from '../../src/index.js'

const good = { identify: () => 'acme', limits: [perSecond(1)] }

const ITS_OPTIONS =
  'Its options: identify, charges, cost, store, scope, exposeHeaders, maxRetryAfter, jitter, onReject, skip, skipPreflights, dryRun, onStoreFailure, servers, onDecision, onError, clock, limits, headers, body.'

/** What is wrong, the code, and the message: what was expected, what came, and what to do. */
const BAD: readonly (readonly [options: unknown, code: string, message: string])[] = [
  [undefined, 'RAIL_BAD_OPTION', `A limiter takes an object of options, got undefined. ${ITS_OPTIONS}`],
  [null, 'RAIL_BAD_OPTION', `A limiter takes an object of options, got null. ${ITS_OPTIONS}`],
  [[], 'RAIL_BAD_OPTION', `A limiter takes an object of options, got []. ${ITS_OPTIONS}`],
  [
    { limits: good.limits },
    'RAIL_BAD_OPTION',
    'The option identify is required: a function that returns whom a request is counted under, or null for an anonymous one. Write identify: (request) => request.customer.id.',
  ],
  [
    { identify: good.identify },
    'RAIL_NO_LIMITS',
    "The option limits came to undefined. Return an array of limits; [] says that there is no limit. (A plan's name mistyped?)",
  ],
  [
    { ...good, identify: 'acme' },
    'RAIL_BAD_OPTION',
    'The option identify is a function, got "acme". Write identify: (request) => request.customer.id.',
  ],
  [
    { ...good, identify: null },
    'RAIL_BAD_OPTION',
    'The option identify is a function, got null. Write identify: (request) => request.customer.id.',
  ],
  [
    { ...good, limits: null },
    'RAIL_BAD_LIMITS',
    'The option limits is an array of limits, got null. Write [perSecond(10)], or [] for no limit.',
  ],
  [
    { ...good, limits: perSecond(1) },
    'RAIL_BAD_LIMITS',
    'The option limits is an array of limits, got one limit. Write [perSecond(10)], or [] for no limit.',
  ],
  [
    { ...good, limits: { per_second: 10 } },
    'RAIL_BAD_LIMITS',
    'The option limits is an array of limits, got an object. Write [perSecond(10)], or [] for no limit.',
  ],
  [
    { ...good, limits: { limitsFor: [] } },
    'RAIL_BAD_LIMITS',
    'The option limits is an array of limits, got an object. Write [perSecond(10)], or [] for no limit.',
  ],
  [
    { ...good, limits: 10 },
    'RAIL_BAD_LIMITS',
    'The option limits is an array of limits, got 10. Write [perSecond(10)], or [] for no limit.',
  ],
  [
    { ...good, limits: [10] },
    'RAIL_BAD_LIMITS',
    'The option limits holds limits, but has 10 in it. Make each by limit() or perSecond().',
  ],
  [
    { ...good, limits: [{ name: 'x', tokens: 1, windowMs: 1_000, burst: 1 }] },
    'RAIL_BAD_LIMITS',
    'The option limits holds limits, but has an object in it. Make each by limit() or perSecond().',
  ],
  [
    { ...good, limits: [{ ...perSecond(1), kind: 'window' }] },
    'RAIL_BAD_LIMITS',
    'The option limits holds limits, but has an object in it. Make each by limit() or perSecond().',
  ],
  [
    { ...good, limits: [{ ...perSecond(1), wholeBurst: 0 }] },
    'RAIL_BAD_LIMITS',
    'The option limits holds limits, but has an object in it. Make each by limit() or perSecond().',
  ],
  [
    { ...good, limits: [{ ...perSecond(1), flow: 2 }] },
    'RAIL_BAD_LIMITS',
    'The option limits holds limits, but has an object in it. Make each by limit() or perSecond().',
  ],
  [
    { ...good, limits: [perSecond(1), perSecond(2)] },
    'RAIL_DUPLICATE_NAME',
    'Two limits of one request are named "per_second" (case does not count). Give one another name, or its charge a scope.',
  ],
  [
    { ...good, limits: [perSecond(1), perMinute(1, { name: 'PER_SECOND' })] },
    'RAIL_DUPLICATE_NAME',
    'Two limits of one request are named "PER_SECOND" (case does not count). Give one another name, or its charge a scope.',
  ],
  [
    { ...good, identfy: () => 'x' },
    'RAIL_UNKNOWN_OPTION',
    `A limiter has no option "identfy". Did you mean "identify"? ${ITS_OPTIONS}`,
  ],
  [{ ...good, max: 10 }, 'RAIL_UNKNOWN_OPTION', `A limiter has no option "max". ${ITS_OPTIONS}`],
  [
    { ...good, dryrun: true },
    'RAIL_UNKNOWN_OPTION',
    `A limiter has no option "dryrun". Did you mean "dryRun"? ${ITS_OPTIONS}`,
  ],
  [
    { ...good, onLimitReached: () => {} },
    'RAIL_UNKNOWN_OPTION',
    `A limiter has no option "onLimitReached". ${ITS_OPTIONS}`,
  ],
  [
    { ...good, cost: '1' },
    'RAIL_BAD_OPTION',
    'The option cost is a whole number of tokens from 0, or a function, got "1". Give one, or leave it out.',
  ],
  [
    { ...good, cost: 1.5 },
    'RAIL_BAD_OPTION',
    'The option cost is a whole number of tokens from 0, or a function, got 1.5. Give one, or leave it out.',
  ],
  [
    { ...good, cost: Number.NaN },
    'RAIL_BAD_OPTION',
    'The option cost is a whole number of tokens from 0, or a function, got NaN. Give one, or leave it out.',
  ],
  [
    { ...good, store: {} },
    'RAIL_BAD_OPTION',
    'The option store is a store, with take, peek, settle and reset, got an object. Give one, or leave it out.',
  ],
  [
    { ...good, store: MemoryStore },
    'RAIL_BAD_OPTION',
    'The option store is a store, with take, peek, settle and reset, got the function MemoryStore. Give one, or leave it out.',
  ],
  [{ ...good, scope: 7 }, 'RAIL_BAD_OPTION', 'The option scope is a text, got 7. Give one, or leave it out.'],
  [
    { ...good, headers: 'draft-99' },
    'RAIL_BAD_OPTION',
    "The option headers is one of 'draft-11', 'draft-7', 'draft-6', 'x-ratelimit', several in an array, or false (no fields), got \"draft-99\". Give one, or leave it out.",
  ],
  [
    { ...good, headers: true },
    'RAIL_BAD_OPTION',
    "The option headers is one of 'draft-11', 'draft-7', 'draft-6', 'x-ratelimit', several in an array, or false (no fields), got true. Give one, or leave it out.",
  ],
  [
    { ...good, headers: [] },
    'RAIL_BAD_OPTION',
    "The option headers is one of 'draft-11', 'draft-7', 'draft-6', 'x-ratelimit', several in an array, or false (no fields), got []. Give one, or leave it out.",
  ],
  [
    { ...good, exposeHeaders: 'yes' },
    'RAIL_BAD_OPTION',
    'The option exposeHeaders is true or false, got "yes". Give one, or leave it out.',
  ],
  [
    { ...good, maxRetryAfter: 0 },
    'RAIL_BAD_OPTION',
    'The option maxRetryAfter is a whole number of seconds from 1 to 2147483, got 0. Give one, or leave it out.',
  ],
  [
    { ...good, maxRetryAfter: '60' },
    'RAIL_BAD_OPTION',
    'The option maxRetryAfter is a whole number of seconds from 1 to 2147483, got "60". Give one, or leave it out.',
  ],
  [
    { ...good, jitter: -1 },
    'RAIL_BAD_OPTION',
    'The option jitter is a whole number of seconds from 0 to 2147483, got -1. Give one, or leave it out.',
  ],
  [
    { ...good, body: 'html' },
    'RAIL_BAD_OPTION',
    "The option body is 'json', 'problem' or { problem: { … } }, got \"html\". Give one, or leave it out.",
  ],
  [
    { ...good, onReject: 'no' },
    'RAIL_BAD_OPTION',
    'The option onReject is a function, got "no". Give one, or leave it out.',
  ],
  [{ ...good, skip: true }, 'RAIL_BAD_OPTION', 'The option skip is a function, got true. Give one, or leave it out.'],
  [
    { ...good, skipPreflights: 1 },
    'RAIL_BAD_OPTION',
    'The option skipPreflights is true or false, got 1. Give one, or leave it out.',
  ],
  [
    { ...good, skipPreflights: true },
    'RAIL_BAD_OPTION',
    "createLimiter's second argument is { method, header }, for skipPreflights, got undefined. Give both.",
  ],
  [
    { ...good, dryRun: 'false' },
    'RAIL_BAD_OPTION',
    'The option dryRun is true or false, got "false". Give one, or leave it out.',
  ],
  [
    { ...good, onStoreFailure: 'open' },
    'RAIL_BAD_OPTION',
    "The option onStoreFailure is 'allow', 'refuse' or 'local', got \"open\". Give one, or leave it out.",
  ],
  [
    { ...good, servers: 0 },
    'RAIL_BAD_OPTION',
    'The option servers is a whole number from 1, or a function, got 0. Give one, or leave it out.',
  ],
  [
    { ...good, onDecision: {} },
    'RAIL_BAD_OPTION',
    'The option onDecision is a function, got an object. Give one, or leave it out.',
  ],
  [
    { ...good, onError: console },
    'RAIL_BAD_OPTION',
    'The option onError is a function, got an object. Give one, or leave it out.',
  ],
  [
    { ...good, clock: 5 },
    'RAIL_BAD_OPTION',
    'The option clock is a function that returns milliseconds, got 5. Give one, or leave it out.',
  ],
  [
    { ...good, charges: () => [] },
    'RAIL_BAD_OPTION',
    'The option charges stands instead of identify, limits and cost, not beside them. Leave it out, or all of those.',
  ],
  [
    { charges: () => [], cost: 2 },
    'RAIL_BAD_OPTION',
    'The option charges stands instead of identify, limits and cost, not beside them. Leave it out, or all of those.',
  ],
  [{ charges: [] }, 'RAIL_BAD_OPTION', 'The option charges is a function, got []. Give one, or leave it out.'],
  [
    new (class {
      method = 'GET'
    })(),
    'RAIL_BAD_OPTION',
    'A limiter takes an object of options, got another object. rateLimit is to be called, and what it returns mounted: app.use(rateLimit({ identify, limits })).',
  ],
]

describe('wrong options are an error when the limiter is made, never on a request', () => {
  test.each(BAD)('%o', (options, code, message) => {
    const make = () => createLimiter(options as LimiterOptions<object>)
    expect(make).toThrow(RailError)
    expect(make).toThrow(expect.objectContaining({ code, message }))
  })
})

describe('options', () => {
  test.each(
    Object.keys({
      cost: 0,
      store: 0,
      scope: 0,
      headers: 0,
      exposeHeaders: 0,
      maxRetryAfter: 0,
      jitter: 0,
      body: 0,
      onReject: 0,
      skip: 0,
      skipPreflights: 0,
      dryRun: 0,
      onStoreFailure: 0,
      servers: 0,
      onDecision: 0,
      onError: 0,
      clock: 0,
      charges: 0,
    }),
  )('%s may be undefined, which is as good as left out', (name) => {
    const limiter = createLimiter({ ...good, [name]: undefined })
    expect(limiter.take({})).toMatchObject({ refusal: undefined, decision: { allowed: true } })
  })

  test('charges may stand alone, with the others undefined', () => {
    expect(() =>
      createLimiter({ charges: () => [], identify: undefined, limits: undefined, cost: undefined }),
    ).not.toThrow()
  })

  test('a set of limits is frozen once it is checked: what has been charged must not change', () => {
    const limits = [perSecond(1)]
    createLimiter({ identify: () => 'acme', limits })
    expect(() => limits.push(perMinute(1))).toThrow(TypeError)
  })

  test('limits made by another copy of core are limits', () => {
    const foreign = JSON.parse(JSON.stringify(limit({ name: 'x', tokens: 5, per: '1m' })))
    expect(() => createLimiter({ identify: () => 'acme', limits: [foreign] })).not.toThrow()
    // And frozen from then on, as those of this copy are: one that changes would mean another limit, or none.
    expect(() => Object.assign(foreign, { size: Number.POSITIVE_INFINITY })).toThrow(TypeError)
  })

  test.each([Number.POSITIVE_INFINITY, 5.5, 4, '5'])(
    'a limit by hand whose whole burst is %o is none',
    (wholeBurst) => {
      const forged = { ...limit({ name: 'x', tokens: 5, per: '1m' }), wholeBurst } as never
      expect(() => createLimiter({ identify: () => 'acme', limits: [forged] })).toThrow(/has an object in it/)
    },
  )
})

test('options may be of a class, as long as they are options', () => {
  class Options {
    identify = good.identify
    limits = good.limits
  }
  expect(createLimiter(new Options()).take({})).toMatchObject({ decision: { allowed: true } })
})

test('options of a class may be its methods', () => {
  class Options {
    limits = [perMinute(10)]
    identify() {
      return 'acme'
    }
    cost() {
      return 4
    }
    onReject() {
      return { text: 'slower' }
    }
  }
  const limiter = createLimiter(new Options())
  expect(limiter.take({})).toMatchObject({ decision: { limits: [{ remaining: 6 }] } })
  expect(limiter.take({})).toMatchObject({ decision: { limits: [{ remaining: 2 }] } })
  expect(limiter.take({})).toMatchObject({ refusal: { body: 'slower' } })
})
