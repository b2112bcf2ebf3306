import { describe, expect, test, vi } from 'vitest'
import {
  createLimiter,
  type LimiterOptions,
  type LimitSource,
  MemoryStore,
  manualClock,
  type Outcome,
  perMinute,
  perSecond,
  RailError,
  several,
} from '../../src/index.js'

interface Asked {
  readonly customer?: unknown
  readonly cost?: unknown
}

function limiterOf(options: Partial<LimiterOptions<Asked>> = {}) {
  const store = new MemoryStore()
  const limiter = createLimiter<Asked>({
    identify: (request: Asked) => request.customer as string,
    limits: [perMinute(2)],
    clock: manualClock(),
    store,
    ...options,
  } as LimiterOptions<Asked>)
  return { limiter, store }
}

const acme = (): Asked => ({ customer: 'acme' })
const left = (outcome: Outcome | undefined): number | undefined => outcome?.decision?.limits[0]?.remaining

describe('a request', () => {
  test('is answered at once where nothing is asynchronous: an outcome, no promise', () => {
    const source: LimitSource = { limitsFor: () => [perMinute(2)] }
    const options: Partial<LimiterOptions<Asked>>[] = [
      {},
      { limits: () => [perMinute(2)] },
      { limits: source },
      { cost: () => 1, skip: () => false },
      {
        identify: undefined,
        limits: undefined,
        charges: several(() => [{ key: 'acme', limits: [perMinute(2)], cost: 1 }]),
      },
    ] as Partial<LimiterOptions<Asked>>[]
    for (const each of options) {
      const outcome = limiterOf(each).limiter.take(acme())
      expect(outcome).not.toHaveProperty('then')
      expect(left(outcome as Outcome)).toBe(1)
    }
  })

  test.each<[string, Partial<LimiterOptions<Asked>>]>([
    ['identify', { identify: async () => 'acme' }],
    ['limits', { limits: async () => [perMinute(2)] }],
    ['cost', { cost: async () => 1 }],
    ['skip', { skip: async () => false }],
    // biome-ignore lint/suspicious/noThenProperty: a promise of another make is what is tested.
    ['a foreign thenable', { identify: () => ({ then: (next) => Promise.resolve('acme').then(next) }) }],
  ])('is answered by a promise where something is: %s', async (_, options) => {
    const outcome = limiterOf(options).limiter.take(acme())
    expect(outcome).toHaveProperty('then')
    expect(left(await outcome)).toBe(1)
  })

  test('of an anonymous caller, of one without limits, and one that is skipped, is not counted and gets no header', async () => {
    for (const options of [{ identify: () => null }, { limits: [] }, { limits: () => [] }, { skip: () => true }]) {
      const { limiter, store } = limiterOf(options as Partial<LimiterOptions<Asked>>)
      const outcome = await limiter.take(acme())
      expect(outcome).toMatchObject({ decision: undefined, headers: [], refusal: undefined })
      outcome.settle(5)
      expect(store.size).toBe(0)
    }
  })

  test('that is skipped is not even identified', () => {
    const identify = vi.fn(() => 'acme')
    limiterOf({ identify, skip: () => true }).limiter.take(acme())
    expect(identify).not.toHaveBeenCalled()
  })

  test('is counted once, however often the same limiter is asked about it', async () => {
    const { limiter } = limiterOf()
    const request = acme()
    const first = limiter.take(request)
    expect(limiter.take(request)).toBe(first)
    expect(limiter.of(request)).toBe(first)
    expect(left(await limiter.take(acme()))).toBe(0)
  })

  test('is counted once too while its answer is still being made', async () => {
    const { limiter } = limiterOf({ identify: async () => 'acme' })
    const request = acme()
    const outcomes = await Promise.all([limiter.take(request), limiter.take(request), limiter.take(request)])
    expect(outcomes.map(left)).toEqual([1, 1, 1])
    expect(left(await limiter.take(acme()))).toBe(0)
  })

  test('that is a text has no identity: each is counted', async () => {
    const limiter = createLimiter<string>({
      identify: (customer) => customer,
      limits: [perMinute(2)],
      clock: manualClock(),
    })
    expect(left(await limiter.take('acme'))).toBe(1)
    expect(left(await limiter.take('acme'))).toBe(0)
    expect(limiter.of('acme')).toBeUndefined()
  })

  test('is counted by every limiter that is asked', async () => {
    const [one, other] = [limiterOf().limiter, limiterOf().limiter]
    const request = acme()
    await one.take(request)
    expect(left(await other.take(request))).toBe(1)
    expect(one.of(request)).not.toBe(other.of(request))
  })

  test('that was refused stays refused, and is not asked again', async () => {
    const { limiter } = limiterOf()
    await limiter.take(acme())
    await limiter.take(acme())
    const request = acme()
    const refused = await limiter.take(request)
    expect(refused.refusal?.status).toBe(429)
    expect(await limiter.take(request)).toBe(refused)
  })

  test('pays its own cost, by a number or a function', async () => {
    expect(left(await limiterOf({ cost: 2 }).limiter.take(acme()))).toBe(0)
    expect(left(await limiterOf({ cost: () => 0 }).limiter.take(acme()))).toBe(2)
  })

  test('meets the limits of its own key', async () => {
    const limits = (key: string) => [perMinute(key === 'acme' ? 5 : 9)]
    const { limiter } = limiterOf({ limits })
    expect(left(await limiter.take(acme()))).toBe(4)
    expect(left(await limiter.take({ customer: 'other' }))).toBe(8)
  })

  test('of several charges is all or nothing', async () => {
    const charges = several(() => [
      { key: 'client', scope: 'oauth', limits: [perMinute(5)], cost: 1 },
      { key: 'user', limits: [perMinute(1)], cost: 1 },
    ])
    const { limiter, store } = limiterOf({ identify: undefined, limits: undefined, charges } as Partial<
      LimiterOptions<Asked>
    >)
    expect((await limiter.take(acme())).refusal).toBeUndefined()
    expect((await limiter.take(acme())).decision).toMatchObject({ allowed: false, refusedBy: ['per_minute'] })
    expect(
      store.peek([{ key: 'client', scope: 'oauth', limits: [perMinute(5)], cost: 0 }], 0).limits[0]?.remaining,
    ).toBe(4)
  })

  test('of a limiter with a scope is counted in that scope', async () => {
    const { limiter, store } = limiterOf({ scope: 'api' })
    await limiter.take(acme())
    expect(store.peek([{ key: 'acme', scope: 'api', limits: [perMinute(2)], cost: 0 }], 0).limits[0]?.remaining).toBe(1)
    expect(store.peek([{ key: 'acme', limits: [perMinute(2)], cost: 0 }], 0).limits[0]?.remaining).toBe(2)
  })

  test('of several charges is counted in the limiter’s scope too', async () => {
    const limits = [perMinute(2)]
    const charges = several(() => [
      { key: 'acme', limits, cost: 1 },
      { key: 'acme', scope: 'users', limits, cost: 1 },
    ])
    const options = { identify: undefined, limits: undefined, scope: 'api', charges }
    const { limiter } = limiterOf(options as Partial<LimiterOptions<Asked>>)
    const { decision } = await limiter.take(acme())
    expect(decision?.limits.map(({ scope }) => scope)).toEqual(['api', 'api.users'])
  })

  test('is charged what a charge of a class says, on a route with a cost too', async () => {
    class PerCustomer {
      get key() {
        return 'acme'
      }
      get limits() {
        return [perMinute(5)]
      }
      get cost() {
        return 1
      }
    }
    const options = { identify: undefined, limits: undefined, charges: several(() => [new PerCustomer()]) }
    const { limiter } = limiterOf(options as Partial<LimiterOptions<Asked>>)
    const outcome = await limiter.with({ cost: 3 }).take(acme())
    expect(outcome.decision?.limits[0]).toMatchObject({ key: 'acme', remaining: 2 })
  })

  test('settles what it was charged, whatever becomes of the user’s object', async () => {
    const limits = [perMinute(5)]
    const charge = { key: 'acme', limits, cost: 3 }
    const options = { identify: undefined, limits: undefined, charges: several(() => [charge]) }
    const { limiter, store } = limiterOf(options as Partial<LimiterOptions<Asked>>)
    const { settle } = await limiter.take(acme())
    charge.cost = 0
    settle(1)
    expect(store.peek([{ key: 'acme', limits, cost: 0 }], 0).limits[0]?.remaining).toBe(4)
  })
})

describe('100 requests at once', () => {
  test('through one shared promise: exactly the limit is admitted', async () => {
    const customer = Promise.resolve('acme')
    const { limiter } = limiterOf({ identify: () => customer, limits: [perMinute(50)] })
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => limiter.take(acme())))
    expect(outcomes.filter((outcome) => outcome.refusal === undefined)).toHaveLength(50)
    expect(new Set(outcomes.filter((outcome) => outcome.refusal === undefined).map(left)).size).toBe(50)
  })
})

const boom = new Error('boom')
const fail = () => {
  throw boom
}

/** What the user's functions do wrong: nobody is let through for it, and nothing is spent. */
const FAULTS: readonly (readonly [what: string, options: unknown, fault: object])[] = [
  ['identify throws', { identify: fail }, boom],
  ['limits throws', { limits: fail }, boom],
  ['cost throws', { cost: fail }, boom],
  ['skip throws', { skip: fail }, boom],
  ['identify rejects', { identify: async () => fail() }, boom],
  ['limits rejects', { limits: async () => fail() }, boom],
  ['cost rejects', { cost: async () => fail() }, boom],
  ['a source throws', { limits: { limitsFor: fail } }, boom],
  [
    'identify throws a text',
    {
      identify: () => {
        throw 'boom'
      },
    },
    { code: 'RAIL_NOT_AN_ERROR', cause: 'boom' },
  ],
  ['identify rejects with nothing', { identify: () => Promise.reject() }, { code: 'RAIL_NOT_AN_ERROR' }],
  [
    'identify returns undefined',
    { identify: () => undefined },
    {
      code: 'RAIL_NO_IDENTITY',
      message: /^identify\(\): expected a customer's key, got undefined\. Mount the limiter after authentication/,
    },
  ],
  ['identify comes to undefined', { identify: async () => undefined }, { code: 'RAIL_NO_IDENTITY' }],
  [
    'identify returns an empty text',
    { identify: () => '' },
    { code: 'RAIL_BAD_KEY', message: /^identify\(\): expected a non-empty string, got ""/ },
  ],
  ['identify returns a number', { identify: () => 7 }, { code: 'RAIL_BAD_KEY', message: /got 7/ }],
  ['identify returns an object', { identify: () => ({}) }, { code: 'RAIL_BAD_KEY', message: /got an object/ }],
  ['identify returns false', { identify: () => false }, { code: 'RAIL_BAD_KEY', message: /got false/ }],
  [
    'limits returns undefined',
    { limits: () => undefined },
    { code: 'RAIL_NO_LIMITS', message: /\[\] means "no limit"/ },
  ],
  ['limits comes to undefined', { limits: async () => undefined }, { code: 'RAIL_NO_LIMITS' }],
  [
    'limits returns null',
    { limits: () => null },
    { code: 'RAIL_BAD_LIMITS', message: /^limits\(\): expected an array of limits, got null/ },
  ],
  [
    'limits returns one limit',
    { limits: () => perSecond(1) },
    { code: 'RAIL_BAD_LIMITS', message: /an array of limits/ },
  ],
  ['limits returns a number', { limits: () => 5 }, { code: 'RAIL_BAD_LIMITS' }],
  ['limits returns true', { limits: () => true }, { code: 'RAIL_BAD_LIMITS' }],
  [
    'limits returns an array of something else',
    { limits: () => [5] },
    { code: 'RAIL_BAD_LIMITS', message: /^limits\(\)\[0\]: expected a limit, got 5/ },
  ],
  [
    'limits returns a limit made by hand',
    { limits: () => [{ ...perSecond(1), size: 7 }] },
    { code: 'RAIL_BAD_LIMITS' },
  ],
  [
    'limits returns a name twice',
    { limits: () => [perSecond(1), perSecond(2)] },
    { code: 'RAIL_DUPLICATE_NAME', message: /"per_second"/ },
  ],
  ['a source returns undefined', { limits: { limitsFor: () => undefined } }, { code: 'RAIL_NO_LIMITS' }],
  [
    'cost returns NaN',
    { cost: () => Number.NaN },
    { code: 'RAIL_BAD_COST', message: /whole number of tokens from 0, got NaN/ },
  ],
  ['cost returns a negative', { cost: () => -1 }, { code: 'RAIL_BAD_COST' }],
  ['cost returns a part', { cost: () => 1.5 }, { code: 'RAIL_BAD_COST' }],
  ['cost returns a text', { cost: () => '1' }, { code: 'RAIL_BAD_COST', message: /got "1"/ }],
  ['cost returns undefined', { cost: () => undefined }, { code: 'RAIL_BAD_COST' }],
  ['cost returns Infinity', { cost: () => Number.POSITIVE_INFINITY }, { code: 'RAIL_BAD_COST' }],
  [
    'charges returns undefined',
    charging(undefined),
    { code: 'RAIL_BAD_CHARGES', message: /^charges of several\(\): expected an array, got undefined/ },
  ],
  ['charges returns an object', charging({}), { code: 'RAIL_BAD_CHARGES' }],
  [
    'charges says what was taken, which would give it back',
    charging([{ key: 'acme', limits: [perMinute(2)], cost: 1, taken: 1 } as never]),
    { code: 'RAIL_BAD_CHARGES', message: /^taken: not a property of a charge/ },
  ],
  [
    'a charge has a mistyped scope, which would be counted in none',
    charging([{ key: 'acme', limits: [perSecond(1)], cost: 1, scop: 'a' }]),
    { code: 'RAIL_BAD_CHARGES', message: /^scop: not a property of a charge\. Did you mean "scope"/ },
  ],
  ['charges has nothing in it', charging([undefined]), { code: 'RAIL_BAD_CHARGES' }],
  ['a charge has no key', charging([{ limits: [], cost: 1 }]), { code: 'RAIL_BAD_KEY' }],
  ['a charge has no limits', charging([{ key: 'a', cost: 1 }]), { code: 'RAIL_NO_LIMITS' }],
  ['a charge has no cost', charging([{ key: 'a', limits: [] }]), { code: 'RAIL_BAD_COST' }],
  [
    'a charge has a scope that is no text',
    charging([{ key: 'a', limits: [], cost: 1, scope: 7 }]),
    { code: 'RAIL_BAD_CHARGES' },
  ],
  [
    'charges have one name twice',
    charging([
      { key: 'a', limits: [perSecond(1)], cost: 1 },
      { key: 'b', limits: [perSecond(2)], cost: 1 },
    ]),
    { code: 'RAIL_DUPLICATE_NAME' },
  ],
  [
    'the clock returns nothing',
    { clock: () => undefined },
    { code: 'RAIL_BAD_CLOCK', message: /finite number, got undefined/ },
  ],
  ['the clock returns null', { clock: () => null }, { code: 'RAIL_BAD_CLOCK' }],
  ['the clock returns a text', { clock: () => '1000' }, { code: 'RAIL_BAD_CLOCK', message: /got "1000"/ }],
  ['the clock returns a bigint', { clock: () => 1n }, { code: 'RAIL_BAD_CLOCK', message: /got 1n/ }],
  ['the clock returns Infinity', { clock: () => Number.POSITIVE_INFINITY }, { code: 'RAIL_BAD_CLOCK' }],
]

function charging(charges: unknown): unknown {
  return { identify: undefined, limits: undefined, charges: several(() => charges as never) }
}

describe('a fault of the user’s is an error, spends nothing, and is never "unlimited"', () => {
  test.each(FAULTS)('%s', async (_, options, fault) => {
    const { limiter, store } = limiterOf(options as Partial<LimiterOptions<Asked>>)
    const thrown = await asyncErrorOf(() => limiter.take(acme()))
    if (fault === boom) expect(thrown).toBe(boom)
    else {
      const { message, ...rest } = fault as { message?: RegExp }
      expect(thrown).toBeInstanceOf(RailError)
      expect(thrown).toMatchObject(rest)
      expect((thrown as Error).message).toMatch(message ?? '')
    }
    expect(store.size).toBe(0)
  })

  test('synchronous faults throw, asynchronous ones reject', async () => {
    expect(() => limiterOf({ identify: fail }).limiter.take(acme())).toThrow(boom)
    const pending = limiterOf({ identify: async () => fail() }).limiter.take(acme())
    await expect(pending).rejects.toBe(boom)
  })

  test('after one, the same limiter goes on', async () => {
    let broken = true
    const { limiter } = limiterOf({ identify: () => (broken ? fail() : 'acme') })
    const request = acme()
    expect(() => limiter.take(request)).toThrow(boom)
    broken = false
    expect(left(await limiter.take(request))).toBe(1)
  })
})

async function asyncErrorOf(ask: () => unknown): Promise<unknown> {
  try {
    await ask()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}
