import { describe, expect, test } from 'vitest'
import {
  createLimiter,
  type LimiterOptions,
  limit,
  MemoryStore,
  perMinute,
  perSecond,
  RailError,
} from '../src/index.js'

const good = { identify: () => 'acme', limits: [perSecond(1)] }

/** What is wrong, the code, what the message says. */
const BAD: readonly (readonly [options: unknown, code: string, message: RegExp])[] = [
  [undefined, 'RAIL_BAD_OPTION', /A limiter takes an object of options, got undefined/],
  [null, 'RAIL_BAD_OPTION', /an object of options, got null/],
  [[], 'RAIL_BAD_OPTION', /an object of options, got \[\]/],
  [{ limits: good.limits }, 'RAIL_BAD_OPTION', /The option identify is required: a function that returns whom/],
  [
    { identify: good.identify },
    'RAIL_NO_LIMITS',
    /The option limits came to undefined\. Return an array of limits; \[\] says/,
  ],
  [{ ...good, identify: 'acme' }, 'RAIL_BAD_OPTION', /The option identify is a function, got "acme"/],
  [{ ...good, identify: null }, 'RAIL_BAD_OPTION', /The option identify is a function, got null/],
  [{ ...good, limits: null }, 'RAIL_BAD_LIMITS', /an array of limits \(\[\] for no limit\), got null/],
  [{ ...good, limits: perSecond(1) }, 'RAIL_BAD_LIMITS', /an array of limits .*got one limit: put it in an array/],
  [{ ...good, limits: { per_second: 10 } }, 'RAIL_BAD_LIMITS', /an array of limits .*got an object/],
  [{ ...good, limits: { limitsFor: [] } }, 'RAIL_BAD_LIMITS', /an array of limits .*got an object/],
  [{ ...good, limits: 10 }, 'RAIL_BAD_LIMITS', /an array of limits .*got 10/],
  [{ ...good, limits: [10] }, 'RAIL_BAD_LIMITS', /made by limit\(\), perSecond\(\), .*has 10 in it/],
  [
    { ...good, limits: [{ name: 'x', tokens: 1, windowMs: 1_000, burst: 1 }] },
    'RAIL_BAD_LIMITS',
    /has an object in it/,
  ],
  [{ ...good, limits: [{ ...perSecond(1), kind: 'window' }] }, 'RAIL_BAD_LIMITS', /made by limit\(\)/],
  [{ ...good, limits: [{ ...perSecond(1), wholeBurst: 0 }] }, 'RAIL_BAD_LIMITS', /made by limit\(\)/],
  [{ ...good, limits: [{ ...perSecond(1), flow: 2 }] }, 'RAIL_BAD_LIMITS', /made by limit\(\)/],
  [
    { ...good, limits: [perSecond(1), perSecond(2)] },
    'RAIL_DUPLICATE_NAME',
    /named "per_second" \(case does not count\)\. Give one another name/,
  ],
  [{ ...good, limits: [perSecond(1), perMinute(1, { name: 'PER_SECOND' })] }, 'RAIL_DUPLICATE_NAME', /PER_SECOND/],
  [{ ...good, identfy: () => 'x' }, 'RAIL_UNKNOWN_OPTION', /no option "identfy"\. Did you mean "identify"\?/],
  [{ ...good, max: 10 }, 'RAIL_UNKNOWN_OPTION', /no option "max"\. .*Its options: .*identify/],
  [{ ...good, dryrun: true }, 'RAIL_UNKNOWN_OPTION', /Did you mean "dryRun"\?/],
  [{ ...good, onLimitReached: () => {} }, 'RAIL_UNKNOWN_OPTION', /no option "onLimitReached"\. Its options/],
  [
    { ...good, cost: '1' },
    'RAIL_BAD_OPTION',
    /The option cost is a whole number of tokens from 0, or a function, got "1"/,
  ],
  [{ ...good, cost: 1.5 }, 'RAIL_BAD_OPTION', /got 1\.5/],
  [{ ...good, cost: Number.NaN }, 'RAIL_BAD_OPTION', /got NaN/],
  [
    { ...good, store: {} },
    'RAIL_BAD_OPTION',
    /The option store is a store, with take, peek, settle and reset, got an object/,
  ],
  [{ ...good, store: MemoryStore }, 'RAIL_BAD_OPTION', /got the function MemoryStore/],
  [{ ...good, scope: 7 }, 'RAIL_BAD_OPTION', /The option scope is a text, got 7/],
  [{ ...good, headers: 'draft-99' }, 'RAIL_BAD_OPTION', /'draft-11'.*got "draft-99"/],
  [{ ...good, headers: true }, 'RAIL_BAD_OPTION', /got true/],
  [{ ...good, headers: [] }, 'RAIL_BAD_OPTION', /got \[\]/],
  [{ ...good, exposeHeaders: 'yes' }, 'RAIL_BAD_OPTION', /true or false, got "yes"/],
  [{ ...good, maxRetryAfter: 0 }, 'RAIL_BAD_OPTION', /whole number of seconds from 1/],
  [{ ...good, maxRetryAfter: '60' }, 'RAIL_BAD_OPTION', /got "60"/],
  [{ ...good, jitter: -1 }, 'RAIL_BAD_OPTION', /whole number of seconds from 0/],
  [{ ...good, body: 'html' }, 'RAIL_BAD_OPTION', /got "html"/],
  [{ ...good, onReject: 'no' }, 'RAIL_BAD_OPTION', /The option onReject is a function/],
  [{ ...good, skip: true }, 'RAIL_BAD_OPTION', /The option skip is a function, got true/],
  [{ ...good, skipPreflights: 1 }, 'RAIL_BAD_OPTION', /true or false, got 1/],
  [{ ...good, skipPreflights: true }, 'RAIL_BAD_OPTION', /skipPreflights needs a way to read requests/],
  [{ ...good, dryRun: 'false' }, 'RAIL_BAD_OPTION', /true or false, got "false"/],
  [{ ...good, onStoreFailure: 'open' }, 'RAIL_BAD_OPTION', /'allow', 'refuse' or 'local', got "open"/],
  [{ ...good, servers: 0 }, 'RAIL_BAD_OPTION', /whole number from 1, or a function, got 0/],
  [{ ...good, onDecision: {} }, 'RAIL_BAD_OPTION', /The option onDecision is a function, got an object/],
  [{ ...good, onError: console }, 'RAIL_BAD_OPTION', /The option onError is a function, got an object/],
  [{ ...good, clock: 5 }, 'RAIL_BAD_OPTION', /a function that returns milliseconds, got 5/],
  [{ ...good, charges: () => [] }, 'RAIL_BAD_OPTION', /charges stands instead of identify, limits and cost/],
  [{ charges: () => [], cost: 2 }, 'RAIL_BAD_OPTION', /instead of identify, limits and cost, not beside them/],
  [{ charges: [] }, 'RAIL_BAD_OPTION', /The option charges is a function, got \[\]/],
  [
    new (class {
      method = 'GET'
    })(),
    'RAIL_BAD_OPTION',
    /takes an object of options, got another object\. rateLimit is to be called, and what it returns mounted/,
  ],
]

describe('wrong options are an error when the limiter is made, never on a request', () => {
  test.each(BAD)('%o', (options, code, message) => {
    const make = () => createLimiter(options as LimiterOptions<object>)
    expect(make).toThrow(RailError)
    expect(make).toThrow(expect.objectContaining({ code }))
    expect(make).toThrow(message)
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
