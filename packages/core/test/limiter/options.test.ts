import { describe, expect, test } from 'vitest'
import {
  createLimiter,
  draft7,
  draft11,
  type LimiterOptions,
  limit,
  MemoryStore,
  perMinute,
  perSecond,
  RailError,
  several,
} from '../../src/index.js'

const good = { identify: () => 'acme', limits: [perSecond(1)] }

/** The wrong options, the code, and the message: what was expected, what came, and what to do. */
const BAD: readonly (readonly [options: unknown, code: string, message: string])[] = [
  [undefined, 'RAIL_BAD_OPTION', 'rateLimit(): expected an object of options, got undefined.'],
  [null, 'RAIL_BAD_OPTION', 'rateLimit(): expected an object of options, got null.'],
  [[], 'RAIL_BAD_OPTION', 'rateLimit(): expected an object of options, got [].'],
  [
    { limits: good.limits },
    'RAIL_BAD_OPTION',
    "identify: expected a function that returns the customer's key, or null, got undefined. Write identify: (request) => request.customer.id.",
  ],
  [
    { identify: good.identify },
    'RAIL_NO_LIMITS',
    'limits: expected an array of limits, got undefined. Check that the plan exists; [] means "no limit".',
  ],
  [
    { ...good, identify: 'acme' },
    'RAIL_BAD_OPTION',
    'identify: expected a function that returns the customer\'s key, or null, got "acme". Write identify: (request) => request.customer.id.',
  ],
  [
    { ...good, identify: null },
    'RAIL_BAD_OPTION',
    "identify: expected a function that returns the customer's key, or null, got null. Write identify: (request) => request.customer.id.",
  ],
  [
    { ...good, limits: null },
    'RAIL_BAD_LIMITS',
    'limits: expected an array of limits, got null. Write [perSecond(10)], or [] for no limit.',
  ],
  [
    { ...good, limits: perSecond(1) },
    'RAIL_BAD_LIMITS',
    'limits: expected an array of limits, got an object. Write [perSecond(10)], or [] for no limit.',
  ],
  [
    { ...good, limits: { per_second: 10 } },
    'RAIL_BAD_LIMITS',
    'limits: expected an array of limits, got an object. Write [perSecond(10)], or [] for no limit.',
  ],
  [
    { ...good, limits: { limitsFor: [] } },
    'RAIL_BAD_LIMITS',
    'limits: expected an array of limits, got an object. Write [perSecond(10)], or [] for no limit.',
  ],
  [
    { ...good, limits: 10 },
    'RAIL_BAD_LIMITS',
    'limits: expected an array of limits, got 10. Write [perSecond(10)], or [] for no limit.',
  ],
  [
    { ...good, limits: [10] },
    'RAIL_BAD_LIMITS',
    'limits[0]: expected a limit, got 10. Make limits with limit() or perSecond().',
  ],
  [
    { ...good, limits: [{ name: 'x', tokens: 1, windowMs: 1_000, burst: 1 }] },
    'RAIL_BAD_LIMITS',
    'limits[0]: expected a limit, got an object. Make limits with limit() or perSecond().',
  ],
  [
    { ...good, limits: [{ ...perSecond(1), kind: 'window' }] },
    'RAIL_BAD_LIMITS',
    'limits[0]: expected a limit, got an object. Make limits with limit() or perSecond().',
  ],
  [
    { ...good, limits: [{ ...perSecond(1), wholeBurst: 0 }] },
    'RAIL_BAD_LIMITS',
    'limits[0]: expected a limit, got an object. Make limits with limit() or perSecond().',
  ],
  [
    { ...good, limits: [{ ...perSecond(1), flow: 2 }] },
    'RAIL_BAD_LIMITS',
    'limits[0]: expected a limit, got an object. Make limits with limit() or perSecond().',
  ],
  [
    { ...good, limits: [perSecond(1), perSecond(2)] },
    'RAIL_DUPLICATE_NAME',
    'limits: two limits of one request are named "per_second", ignoring case. Give one another name, or its charge a scope.',
  ],
  [
    { ...good, limits: [perSecond(1), perMinute(1, { name: 'PER_SECOND' })] },
    'RAIL_DUPLICATE_NAME',
    'limits: two limits of one request are named "PER_SECOND", ignoring case. Give one another name, or its charge a scope.',
  ],
  [
    { ...good, identfy: () => 'x' },
    'RAIL_UNKNOWN_OPTION',
    'identfy: not an option of rateLimit(). Did you mean "identify"?',
  ],
  [{ ...good, dryrun: true }, 'RAIL_UNKNOWN_OPTION', 'dryrun: not an option of rateLimit(). Did you mean "dryRun"?'],
  [
    { ...good, onLimitReached: () => {} },
    'RAIL_UNKNOWN_OPTION',
    'onLimitReached: not an option of rateLimit(). Options: cost, store, scope, onReject, skip, dryRun, once, onDecision, onError, clock, identify, limits, charges, headers, jitter, onStoreFailure.',
  ],
  [
    { ...good, cost: '1' },
    'RAIL_BAD_OPTION',
    'cost: expected a whole number of tokens from 0, or a function, got "1".',
  ],
  [
    { ...good, cost: 1.5 },
    'RAIL_BAD_OPTION',
    'cost: expected a whole number of tokens from 0, or a function, got 1.5.',
  ],
  [
    { ...good, cost: Number.NaN },
    'RAIL_BAD_OPTION',
    'cost: expected a whole number of tokens from 0, or a function, got NaN.',
  ],
  [
    { ...good, store: {} },
    'RAIL_BAD_OPTION',
    'store: expected a store, with take, peek, settle and reset, got an object. Write store: new MemoryStore().',
  ],
  [
    { ...good, store: MemoryStore },
    'RAIL_BAD_OPTION',
    'store: expected a store, with take, peek, settle and reset, got the function MemoryStore. Write store: new MemoryStore().',
  ],
  [{ ...good, scope: 7 }, 'RAIL_BAD_OPTION', 'scope: expected a string, got 7.'],
  [
    { ...good, headers: 'draft-99' },
    'RAIL_BAD_OPTION',
    'headers: expected header styles, or false, got "draft-99". Import draft11 and write headers: draft11, or headers: false.',
  ],
  [
    { ...good, headers: true },
    'RAIL_BAD_OPTION',
    'headers: expected header styles, or false, got true. Import draft11 and write headers: draft11, or headers: false.',
  ],
  [
    { ...good, headers: [] },
    'RAIL_BAD_OPTION',
    'headers: expected header styles, or false, got []. Import draft11 and write headers: draft11, or headers: false.',
  ],
  [
    { ...good, headers: [draft11, draft7] },
    'RAIL_BAD_OPTION',
    'headers: draft11 and draft7 both send RateLimit-Policy. Remove one.',
  ],
  [{ ...good, jitter: -1 }, 'RAIL_BAD_OPTION', 'jitter: expected a whole number of seconds from 0 to 2147483, got -1.'],
  [
    { ...good, onReject: 'no' },
    'RAIL_BAD_OPTION',
    `onReject: expected a function, got "no". Write onReject: () => ({ json: { error: 'slow down' } }).`,
  ],
  [
    { ...good, skip: true },
    'RAIL_BAD_OPTION',
    "skip: expected a function, got true. Write skip: (request) => request.path === '/health'.",
  ],
  [{ ...good, dryRun: 'false' }, 'RAIL_BAD_OPTION', 'dryRun: expected true or false, got "false".'],
  [
    { ...good, onStoreFailure: 'open' },
    'RAIL_BAD_OPTION',
    "onStoreFailure: expected 'allow', 'refuse' or a store, got \"open\". Import localStore and write localStore({ servers }).",
  ],
  [
    { ...good, onStoreFailure: {} },
    'RAIL_BAD_OPTION',
    "onStoreFailure: expected 'allow', 'refuse' or a store, got an object. Import localStore and write localStore({ servers }).",
  ],
  [{ ...good, onDecision: {} }, 'RAIL_BAD_OPTION', 'onDecision: expected a function, got an object.'],
  [{ ...good, onError: console }, 'RAIL_BAD_OPTION', 'onError: expected a function, got an object.'],
  [{ ...good, clock: 5 }, 'RAIL_BAD_OPTION', 'clock: expected a function that returns milliseconds, got 5.'],
  [
    { ...good, charges: several(() => []) },
    'RAIL_BAD_OPTION',
    'charges: cannot be combined with identify, limits or cost. Remove those, or charges.',
  ],
  [
    { charges: several(() => []), cost: 2 },
    'RAIL_BAD_OPTION',
    'charges: cannot be combined with identify, limits or cost. Remove those, or charges.',
  ],
  [
    { charges: [] },
    'RAIL_BAD_OPTION',
    'charges: expected a value of several(), got []. Import several and write charges: several((request) => [{ key, limits, cost }]).',
  ],
  [
    { charges: () => [] },
    'RAIL_BAD_OPTION',
    'charges: expected a value of several(), got the function charges. Import several and write charges: several((request) => [{ key, limits, cost }]).',
  ],
  [
    new (class {
      method = 'GET'
    })(),
    'RAIL_UNKNOWN_OPTION',
    'method: not an option of rateLimit(). Call rateLimit(), and mount what it returns: app.use(rateLimit({ identify, limits })).',
  ],
]

/** Options of other limiters, and values that Rail had as strings: each error says what to write instead. */
const OTHERS: typeof BAD = [
  [
    { ...good, headers: 'draft-11' },
    'RAIL_BAD_OPTION',
    'headers: expected header styles, or false, got "draft-11". Import draft11 and write headers: draft11.',
  ],
  [
    { ...good, headers: 'draft-8' },
    'RAIL_BAD_OPTION',
    'headers: expected header styles, or false, got "draft-8". Import draft11 and write headers: draft11. Drafts 8 to 11 have one format.',
  ],
  [
    { ...good, headers: ['draft-7'] },
    'RAIL_BAD_OPTION',
    'headers: expected header styles, or false, got "draft-7". Import draft7 and write headers: draft7.',
  ],
  [
    { ...good, headers: 'draft-6' },
    'RAIL_BAD_OPTION',
    'headers: expected header styles, or false, got "draft-6". Import draft6 and write headers: draft6.',
  ],
  [
    { ...good, headers: 'x-ratelimit' },
    'RAIL_BAD_OPTION',
    'headers: expected header styles, or false, got "x-ratelimit". Import xRateLimit and write headers: xRateLimit.',
  ],
  [
    { ...good, onReject: 'problem' },
    'RAIL_BAD_OPTION',
    'onReject: expected a function, got "problem". Import problem and write onReject: problem().',
  ],
  [
    { ...good, onStoreFailure: 'local' },
    'RAIL_BAD_OPTION',
    "onStoreFailure: expected 'allow', 'refuse' or a store, got \"local\". Import localStore and write onStoreFailure: localStore({ servers: 4 }).",
  ],
  [
    { ...good, windowMs: 60_000 },
    'RAIL_UNKNOWN_OPTION',
    "windowMs: not an option of rateLimit(). Write limits: [limit({ name: 'per_15_minutes', tokens: 100, per: '15m' })].",
  ],
  [
    { ...good, timeWindow: '1 minute' },
    'RAIL_UNKNOWN_OPTION',
    "timeWindow: not an option of rateLimit(). Write limits: [limit({ name: 'per_15_minutes', tokens: 100, per: '15m' })].",
  ],
  [
    { ...good, max: 10 },
    'RAIL_UNKNOWN_OPTION',
    "max: not an option of rateLimit(). Write limits: [limit({ name: 'per_15_minutes', tokens: 100, per: '15m' })].",
  ],
  [
    { ...good, limit: 10 },
    'RAIL_UNKNOWN_OPTION',
    "limit: not an option of rateLimit(). Write limits: [limit({ name: 'per_15_minutes', tokens: 100, per: '15m' })].",
  ],
  [
    { ...good, keyGenerator: () => 'x' },
    'RAIL_UNKNOWN_OPTION',
    'keyGenerator: not an option of rateLimit(). Write identify: (request) => request.customer.id. For addresses return addressKey(request.ip).',
  ],
  [
    { ...good, handler: () => {} },
    'RAIL_UNKNOWN_OPTION',
    "handler: not an option of rateLimit(). Write onReject: () => ({ json: { error: 'slow down' } }).",
  ],
  [
    { ...good, message: 'no' },
    'RAIL_UNKNOWN_OPTION',
    "message: not an option of rateLimit(). Write onReject: () => ({ json: { error: 'slow down' } }).",
  ],
  [
    { ...good, errorResponseBuilder: () => ({}) },
    'RAIL_UNKNOWN_OPTION',
    "errorResponseBuilder: not an option of rateLimit(). Write onReject: () => ({ json: { error: 'slow down' } }).",
  ],
  [
    { ...good, standardHeaders: true },
    'RAIL_UNKNOWN_OPTION',
    'standardHeaders: not an option of rateLimit(). Write headers: draft11, headers: [draft11, xRateLimit], or headers: false.',
  ],
  [
    { ...good, legacyHeaders: false },
    'RAIL_UNKNOWN_OPTION',
    'legacyHeaders: not an option of rateLimit(). Write headers: draft11, headers: [draft11, xRateLimit], or headers: false.',
  ],
  [
    { ...good, allowList: [] },
    'RAIL_UNKNOWN_OPTION',
    'allowList: not an option of rateLimit(). Write skip: (request) => allowed.has(request.ip).',
  ],
  [
    { ...good, body: 'problem' },
    'RAIL_UNKNOWN_OPTION',
    "body: not an option of rateLimit(). Write onReject: problem(), or onReject: () => ({ json: { error: 'slow down' } }).",
  ],
  [
    { ...good, exposeHeaders: true },
    'RAIL_UNKNOWN_OPTION',
    'exposeHeaders: not an option of rateLimit(). Write headers: exposed(draft11).',
  ],
  [
    { ...good, skipPreflights: true },
    'RAIL_UNKNOWN_OPTION',
    'skipPreflights: not an option of rateLimit(). Import preflights and write skip: preflights.',
  ],
  [
    { ...good, servers: 4 },
    'RAIL_UNKNOWN_OPTION',
    'servers: not an option of rateLimit(). Import localStore and write onStoreFailure: localStore({ servers }).',
  ],
  [
    { ...good, maxRetryAfter: 60 },
    'RAIL_UNKNOWN_OPTION',
    'maxRetryAfter: not an option of rateLimit(). Leave it out: a client that comes back too early is refused again.',
  ],
]

describe('wrong options are an error when the limiter is made, never on a request', () => {
  test.each([...BAD, ...OTHERS])('%o', (options, code, message) => {
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
      jitter: 0,
      onReject: 0,
      skip: 0,
      dryRun: 0,
      onStoreFailure: 0,
      onDecision: 0,
      onError: 0,
      clock: 0,
      charges: 0,
    }),
  )('%s may be undefined, which means its default', (name) => {
    const limiter = createLimiter({ ...good, [name]: undefined })
    expect(limiter.take({})).toMatchObject({ refusal: undefined, decision: { allowed: true } })
  })

  test('charges may stand alone, with the others undefined', () => {
    expect(() =>
      createLimiter({ charges: several(() => []), identify: undefined, limits: undefined, cost: undefined }),
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
      expect(() => createLimiter({ identify: () => 'acme', limits: [forged] })).toThrow(
        /^limits\[0\]: expected a limit/,
      )
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
