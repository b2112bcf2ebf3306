import { describe, expect, test, vi } from 'vitest'
import {
  type Charge,
  createLimiter,
  type Decision,
  type LimitSource,
  MemoryStore,
  manualClock,
  type Outcome,
  perMinute,
  perSecond,
  several,
} from '../../src/index.js'

interface Asked {
  readonly tokens?: number
}

const ten = perMinute(10)

function limiterOf(limits: readonly (typeof ten)[] | LimitSource = [ten]) {
  const store = new MemoryStore()
  const clock = manualClock()
  const decisions: [Decision, Decision | undefined][] = []
  const limiter = createLimiter<Asked>({
    identify: () => 'acme',
    limits,
    clock,
    store,
    onDecision: (decision, _, earlier) => decisions.push([decision, earlier]),
  })
  const leftOf = (scope = '', limit = ten) =>
    store.peek([{ key: 'acme', scope, limits: [limit], cost: 0 }], clock()).limits[0]?.remaining
  return { limiter, store, clock, decisions, leftOf }
}

const allowed = (outcome: unknown): boolean => (outcome as Outcome).refusal === undefined
const left = (outcome: unknown): number[] | undefined =>
  (outcome as Outcome).decision?.limits.map((status) => status.remaining)

describe('with', () => {
  test('makes a costlier route on the same buckets', () => {
    const { limiter, leftOf } = limiterOf()
    expect(left(limiter.with({ cost: 4 }).take({}))).toEqual([6])
    expect(left(limiter.with({ cost: ({ tokens = 0 }) => tokens }).take({ tokens: 3 }))).toEqual([3])
    expect(left(limiter.take({}))).toEqual([2])
    expect(leftOf()).toBe(2)
  })

  test('takes only the difference from a request that was counted before, whichever comes first', () => {
    const { limiter, leftOf } = limiterOf()
    const costly = limiter.with({ cost: 4 })
    const [request, other] = [{}, {}]
    expect(left(limiter.take(request))).toEqual([9])
    expect(left(costly.take(request))).toEqual([6])
    expect(left(costly.take(request))).toEqual([6])
    expect(left(costly.take(other))).toEqual([2])
    // The router's own cost is less than what the route has taken: nothing more, and nothing back.
    expect(left(limiter.take(other))).toEqual([2])
    expect(leftOf()).toBe(2)
  })

  test('gives all back where the difference is refused, and tells the wait of the whole cost', () => {
    const { limiter, clock, leftOf } = limiterOf()
    const costly = limiter.with({ cost: 9 })
    limiter.with({ cost: 5 }).take({})
    const request = {}
    expect(allowed(limiter.take(request))).toBe(true)
    const refused = costly.take(request) as Outcome
    expect(refused.decision).toMatchObject({
      allowed: false,
      retryAfterMs: 24_000,
      limits: [{ remaining: 5, cost: 9 }],
    })
    expect(leftOf()).toBe(5)
    expect(limiter.of(request)).toBe(refused)
    // Nothing that was taken is left to settle.
    refused.settle(0)
    expect(leftOf()).toBe(5)
    clock.set(23_999)
    expect(allowed(costly.take({}))).toBe(false)
    clock.set(24_000)
    expect(allowed(costly.take({}))).toBe(true)
  })

  test('charges the plan’s limits and its own, in its scope, all or nothing', () => {
    const { limiter, leftOf } = limiterOf()
    const writes = perMinute(2)
    const tight = limiter.with({ scope: 'writes', limits: [writes] })
    expect(left(tight.take({}))).toEqual([9, 1])
    const second = tight.take({}) as Outcome
    expect(second.headers.find((field) => field.name === 'RateLimit')?.value).toBe(
      '"per_minute";r=8;t=12, "writes.per_minute";r=0;t=30',
    )
    const refused = tight.take({}) as Outcome
    expect(refused.decision).toMatchObject({ allowed: false, refusedBy: ['writes.per_minute'], retryAfterMs: 30_000 })
    expect([leftOf(), leftOf('writes', writes)]).toEqual([8, 0])
    expect(allowed(limiter.take({}))).toBe(true)
  })

  test('takes its own limits beside what the request has taken already', () => {
    const { limiter, leftOf } = limiterOf()
    const writes = perMinute(2)
    const request = {}
    limiter.take(request)
    expect(left(limiter.with({ scope: 'writes', limits: [writes], cost: 2 }).take(request))).toEqual([8, 0])
    expect([leftOf(), leftOf('writes', writes)]).toEqual([8, 0])
  })

  test('asks a source for the limits of its scope', () => {
    const scopes: string[] = []
    const source: LimitSource = {
      limitsFor: (_, scope) => {
        scopes.push(scope)
        return scope === 'writes' ? [perMinute(3)] : [ten]
      },
    }
    const { limiter } = limiterOf(source)
    expect(left(limiter.with({ scope: 'writes' }).take({}))).toEqual([9, 2])
    expect(scopes).toEqual(['', 'writes'])
  })

  test('may have limits by key, and none', () => {
    const { limiter } = limiterOf()
    const route = limiter.with({ scope: 'writes', limits: (key) => (key === 'acme' ? [] : [perMinute(1)]) })
    expect(left(route.take({}))).toEqual([9])
  })

  test('adds up: what a later one does not say stays as the earlier said', () => {
    const { limiter } = limiterOf()
    const writes = limiter.with({ scope: 'writes', limits: [perMinute(5)] })
    expect(left(writes.with({ cost: 3 }).take({}))).toEqual([7, 2])
    expect(left(limiter.with({ cost: 3 }).with({ cost: undefined }).take({}))).toEqual([4])
    const renamed = limiter.with({ limits: [perSecond(5)] }).with({ scope: 'bursts' })
    expect((renamed.take({}) as Outcome).decision?.limits.map(({ scope }) => scope)).toEqual(['', 'bursts'])
  })

  test('sets the cost of several charges', () => {
    const store = new MemoryStore()
    const charges = several((): Charge[] => [
      { key: 'client', limits: [perMinute(10, { name: 'client' })], cost: 1 },
      { key: 'user', limits: [perMinute(5, { name: 'user' })], cost: 1 },
    ])
    const limiter = createLimiter<Asked>({ charges, store, clock: manualClock() })
    const request = {}
    expect(left(limiter.take(request))).toEqual([9, 4])
    expect(left(limiter.with({ cost: 3 }).take(request))).toEqual([7, 2])
    expect(left(limiter.with({ cost: 4 }).take({}))).toEqual([7, 2])
  })

  test('takes only the difference from each of several charges of one key', () => {
    const store = new MemoryStore()
    const charges = several((): Charge[] => [
      { key: 'acme', limits: [perSecond(10)], cost: 1 },
      { key: 'acme', limits: [perMinute(20)], cost: 2 },
    ])
    const limiter = createLimiter<Asked>({ charges, store, clock: manualClock() })
    const request = {}
    expect(left(limiter.take(request))).toEqual([9, 18])
    expect(left(limiter.with({ cost: 5 }).take(request))).toEqual([5, 15])
  })

  test('takes only the difference where several charges of a request meet in one bucket', () => {
    const store = new MemoryStore()
    const charges = several((): Charge[] => [
      { key: 'acme', limits: [ten], cost: 1 },
      { key: 'acme', limits: [ten], cost: 2 },
    ])
    const limiter = createLimiter<Asked>({ charges, store, clock: manualClock() })
    const request = {}
    expect(left(limiter.take(request))).toEqual([7])
    expect(left(limiter.with({ cost: 4 }).take(request))).toEqual([2])
  })

  test('takes only the difference however many routes have asked, for whichever of the limits', () => {
    const { limiter, leftOf } = limiterOf()
    const [second, third] = [perSecond(10), perMinute(10, { name: 'third' })]
    const request = {}
    limiter.take(request)
    limiter.with({ limits: [second] }).take(request)
    expect(left(limiter.with({ limits: [third, second] }).take(request))).toEqual([9, 9, 9])
    expect(left(limiter.with({ limits: [third, second], cost: 4 }).take(request))).toEqual([6, 6, 6])
    expect([leftOf(), leftOf('', second), leftOf('', third)]).toEqual([6, 6, 6])
  })

  test('takes only the difference where routes ask at once and have to wait', async () => {
    const { limiter, leftOf } = limiterOf({ limitsFor: async () => [ten] })
    const [costly, costlier] = [limiter.with({ cost: 4 }), limiter.with({ cost: 7 })]
    const request = {}
    const asked = [limiter, costly, costlier, costly].map((route) => route.take(request))
    expect((await Promise.all(asked)).map(left)).toEqual([[9], [6], [3], [3]])
    expect(leftOf()).toBe(3)
  })

  test('asks anew after a route has failed, whether at once or later', async () => {
    let fails = true
    const cost = (): number => {
      if (fails) throw new Error('no cost')
      return 4
    }
    for (const route of [{ cost }, { cost: async () => cost() }]) {
      const { limiter } = limiterOf()
      const costly = limiter.with(route)
      const request = {}
      fails = true
      limiter.take(request)
      await expect(async () => costly.take(request)).rejects.toThrow('no cost')
      expect(left(await limiter.take(request))).toEqual([9])
      fails = false
      expect(left(await costly.take(request))).toEqual([6])
    }
  })

  test('tells onDecision which decision the later one replaces', () => {
    const { limiter, decisions } = limiterOf()
    const request = {}
    limiter.take(request)
    limiter.with({ cost: 2 }).take(request)
    limiter.take({})
    expect(decisions.map(([, earlier]) => earlier)).toEqual([undefined, decisions[0]?.[0], undefined])
  })

  test('marks its fields as standing in place of the earlier ones', () => {
    const { limiter } = limiterOf()
    const request = {}
    const first = limiter.take(request) as Outcome
    const second = limiter.with({ cost: 2 }).take(request) as Outcome
    expect(second.headers.map((field) => field.instead)).toEqual(first.headers.map((field) => field.value))
  })

  test('marks them, and tells onDecision, across a route whose store failed', () => {
    const { limiter, store, decisions } = limiterOf()
    const request = {}
    const first = limiter.take(request) as Outcome
    const take = vi.spyOn(store, 'take').mockImplementationOnce(() => {
      throw new Error('gone')
    })
    expect((limiter.with({ cost: 2 }).take(request) as Outcome).decision).toBeUndefined()
    const third = limiter.with({ cost: 3 }).take(request) as Outcome
    expect(take).toHaveBeenCalledTimes(2)
    expect(third.headers.map((field) => field.instead)).toEqual(first.headers.map((field) => field.value))
    expect(decisions[1]).toEqual([third.decision, first.decision])
  })

  test('names that meet, ignoring case, over the plan’s limits and its own are an error', () => {
    const duplicate = expect.objectContaining({ code: 'RAIL_DUPLICATE_NAME' })
    const source = limiterOf({ limitsFor: () => [ten] })
    for (const own of [[perSecond(1, { name: 'Per_Minute' })], [perMinute(5)], [perMinute(10)]]) {
      // What is always asked is known when the middleware is made, what is found by key only then.
      expect(() => limiterOf().limiter.with({ limits: own })).toThrow(duplicate)
      expect(() =>
        limiterOf()
          .limiter.with({ limits: () => own })
          .take({}),
      ).toThrow(duplicate)
      expect(() => source.limiter.with({ limits: own }).take({})).toThrow(duplicate)
      expect(left(limiterOf().limiter.with({ scope: 'writes', limits: own }).take({}))).toHaveLength(2)
    }
    expect([source.leftOf(), source.store.size]).toEqual([10, 0])
  })

  test('names that meet only in a scope are an error when the middleware is made', () => {
    const limiter = createLimiter<Asked>({
      identify: () => 'acme',
      scope: 'api',
      limits: [perMinute(10, { name: 'writes.per_minute' })],
    })
    expect(() => limiter.with({ scope: 'writes', limits: [ten] })).toThrow(/named "api\.writes\.per_minute"/)
    expect(() => limiter.with({ scope: 'reads', limits: [ten] })).not.toThrow()
  })
})

describe('wrong options of with are an error when it is called', () => {
  const { limiter } = limiterOf()

  test.each<[unknown, string, RegExp]>([
    [{ costs: 2 }, 'RAIL_UNKNOWN_OPTION', /^costs: not an option of with\(\)\. Did you mean "cost"\?/],
    [{ identify: () => 'x' }, 'RAIL_UNKNOWN_OPTION', / Options: cost, scope, limits/],
    [{ cost: -1 }, 'RAIL_BAD_OPTION', /^cost: expected a whole number of tokens from 0, or a function, got -1/],
    [{ cost: '2' }, 'RAIL_BAD_OPTION', /got "2"/],
    [{ scope: 7, limits: [] }, 'RAIL_BAD_OPTION', /^scope: expected a string, got 7/],
    [{ limits: perSecond(1) }, 'RAIL_BAD_OPTION', /an array of limits, or a function, got an object/],
    [{ limits: [7] }, 'RAIL_BAD_LIMITS', /^limits of with\(\)\[0\]: expected a limit, got 7/],
    [{ limits: [perSecond(1), perSecond(2)] }, 'RAIL_DUPLICATE_NAME', /"per_second"/],
    [{ scope: 'writes' }, 'RAIL_BAD_OPTION', /^with\(\): expected limits beside the scope/],
    [null, 'RAIL_BAD_OPTION', /an object of options, got null/],
    [7, 'RAIL_BAD_OPTION', /an object of options, got 7/],
  ])('%o', (route, code, message) => {
    const make = () => limiter.with(route as object)
    expect(make).toThrow(expect.objectContaining({ code }))
    expect(make).toThrow(message)
  })

  test('a scope or limits beside charges', () => {
    const limiter = createLimiter<Asked>({ charges: several(() => []) })
    expect(() => limiter.with({ scope: 'writes' })).toThrow(/^with\(\): expected cost alone beside charges/)
    expect(() => limiter.with({ limits: [] })).toThrow(/expected cost alone/)
  })

  test('undefined is as good as left out', () => {
    expect(() => limiter.with({ cost: undefined, scope: undefined, limits: undefined })).not.toThrow()
  })
})
