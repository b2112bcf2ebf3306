import { describe, expect, test } from 'vitest'
import {
  createLimiter,
  type LimiterOptions,
  limit,
  MemoryStore,
  manualClock,
  type Outcome,
  perMinute,
  perSecond,
  type Store,
} from '../../src/index.js'

interface Asked {
  readonly cost: number
}

const model = limit({ name: 'model_tokens', tokens: 100, per: '1m' })
const calls = perSecond(5, { name: 'calls', counts: 'requests' })

function limiterOf(options: Partial<LimiterOptions<Asked>> = {}) {
  const memory = new MemoryStore()
  const clock = manualClock()
  const errors: unknown[] = []
  const limiter = createLimiter<Asked>({
    identify: () => 'acme',
    limits: [model, calls],
    cost: (request: Asked) => request.cost,
    store: memory,
    clock,
    onError: (error: unknown) => errors.push(error),
    ...options,
  } as LimiterOptions<Asked>)
  const left = () => memory.peek([{ key: 'acme', limits: [model], cost: 0 }], clock()).limits[0]?.remaining
  const callsLeft = () =>
    memory.peek([{ key: 'acme', limits: [perSecond(5, { name: 'calls' })], cost: 0 }], clock()).limits[0]?.remaining
  const take = (cost: number) => limiter.take({ cost }) as Outcome
  return { limiter, take, left, callsLeft, clock, errors, memory }
}

describe('settle', () => {
  test('gives back what the request did not need, and leaves limits that count requests alone', () => {
    const { take, left, callsLeft } = limiterOf()
    const { settle } = take(60)
    expect([left(), callsLeft()]).toEqual([40, 4])
    settle(10)
    expect([left(), callsLeft()]).toEqual([90, 4])
  })

  test('takes what it needed more, into debt if need be', () => {
    const { take, left, clock } = limiterOf()
    take(60).settle(160)
    expect(left()).toBe(0)
    expect(take(1).decision).toMatchObject({ allowed: false, retryAfterMs: 36_600 })
    clock.set(36_599)
    expect(take(1).refusal).toBeDefined()
    clock.set(36_600)
    expect(take(1).refusal).toBeUndefined()
  })

  test('counts once for a decision: a second call changes nothing', () => {
    const { take, left } = limiterOf()
    const { settle } = take(60)
    settle(10)
    settle(0)
    settle(100)
    expect(left()).toBe(90)
  })

  test('counts once for a request, whichever of its answers is settled', () => {
    const { limiter, left } = limiterOf()
    const request = { cost: 20 }
    const first = limiter.take(request) as Outcome
    const second = limiter.with({ cost: 50 }).take(request) as Outcome
    expect(left()).toBe(50)
    first.settle(30)
    expect(left()).toBe(70)
    second.settle(0)
    expect(left()).toBe(70)
  })

  test('is what a later route starts from: no more is given back than was kept', () => {
    const { limiter, left, take } = limiterOf()
    take(30)
    const [refused, costlier] = [{ cost: 20 }, { cost: 20 }]
    const { settle } = limiter.take(refused) as Outcome
    settle(0)
    expect(left()).toBe(70)
    expect((limiter.with({ cost: 90 }).take(refused) as Outcome).refusal).toBeDefined()
    expect(left()).toBe(70)
    const { settle: raise } = limiter.take(costlier) as Outcome
    raise(40)
    limiter.with({ cost: 50 }).take(costlier)
    expect(left()).toBe(20)
  })

  test.each<[string, () => Promise<void>]>([
    ['throws', () => throwGone()],
    ['rejects', async () => throwGone()],
  ])('that the store %s on is no reason for a later route to give back more than was taken', async (_, settling) => {
    const { limiter, left, take, memory, errors } = limiterOf()
    take(30)
    const request = { cost: 20 }
    const { settle } = limiter.take(request) as Outcome
    Object.assign(memory, { settle: settling })
    settle(60)
    await new Promise(setImmediate)
    expect(errors).toHaveLength(1)
    expect((limiter.with({ cost: 90 }).take(request) as Outcome).refusal).toBeDefined()
    expect(left()).toBe(70)
  })

  test('does nothing after a refusal', () => {
    const { take, left } = limiterOf()
    take(70)
    const refused = take(40)
    expect(refused.refusal).toBeDefined()
    refused.settle(0)
    refused.settle(90)
    expect(left()).toBe(30)
  })

  test('does nothing in a dry run, and nothing where the request was not counted', () => {
    const dry = limiterOf({ dryRun: true })
    dry.take(60).settle(0)
    expect(dry.left()).toBe(40)
    limiterOf({ identify: () => null } as Partial<LimiterOptions<Asked>>)
      .take(60)
      .settle(0)
  })

  test('does nothing after a failure of the store', async () => {
    let settled = 0
    const store: Store = {
      take: async () => Promise.reject(new Error('gone')),
      peek: async () => Promise.reject(new Error('gone')),
      settle: () => {
        settled++
      },
      reset: () => {},
    }
    for (const onStoreFailure of ['allow', 'refuse'] as const) {
      const { limiter } = limiterOf({ store, onStoreFailure })
      ;(await limiter.take({ cost: 1 })).settle(5)
    }
    expect(settled).toBe(0)
  })

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '3', undefined, null])(
    'of %o tells onError, throws nothing, changes nothing, and may be called again',
    (actual) => {
      const { take, left, errors } = limiterOf()
      const { settle } = take(60)
      expect(() => settle(actual as number)).not.toThrow()
      expect(errors).toEqual([
        expect.objectContaining({ code: 'RAIL_BAD_COST', message: expect.stringContaining('settle()') }),
      ])
      expect(left()).toBe(40)
      settle(10)
      expect(left()).toBe(90)
    },
  )

  test.each(['throws', 'rejects'])('tells onError where the store %s', async (how) => {
    const { memory } = limiterOf()
    const gone = new Error('gone')
    const store: Store = {
      take: (charges, now) => memory.take(charges, now),
      peek: (charges, now) => memory.peek(charges, now),
      settle: () => {
        if (how === 'throws') throw gone
        return Promise.reject(gone)
      },
      reset: (key, scope) => memory.reset(key, scope),
    }
    const { take, errors } = limiterOf({ store })
    const { settle } = take(60)
    expect(() => settle(10)).not.toThrow()
    await Promise.resolve()
    await Promise.resolve()
    expect(errors).toEqual([
      expect.objectContaining({ code: 'RAIL_STORE_FAILED', cause: gone, message: expect.stringContaining('settle') }),
    ])
  })

  test('tells failures of the store at most once a second', () => {
    const { memory } = limiterOf()
    const store: Store = {
      take: (charges, now) => memory.take(charges, now),
      peek: (charges, now) => memory.peek(charges, now),
      settle: () => {
        throw new Error('gone')
      },
      reset: (key, scope) => memory.reset(key, scope),
    }
    const { take, errors, clock } = limiterOf({ store })
    for (const now of [5_000, 5_000, 5_999, 6_000, 7_000]) {
      clock.set(now)
      take(1).settle(2)
    }
    expect(errors).toEqual([1, 3, 1].map((count) => expect.objectContaining({ code: 'RAIL_STORE_FAILED', count })))
  })

  test('keeps working when it is taken out of the outcome and called later', () => {
    const { take, left, clock } = limiterOf()
    const { settle } = take(60)
    clock.set(6_000)
    settle(90)
    // 10 of 60 have drained back, 30 more were needed.
    expect(left()).toBe(20)
  })

  test('of a limit of cost only; perMinute by itself', () => {
    const { limiter, memory, clock } = limiterOf({ limits: [perMinute(10, { counts: 'requests' })] })
    ;(limiter.take({ cost: 3 }) as Outcome).settle(9)
    expect(memory.peek([{ key: 'acme', limits: [perMinute(10)], cost: 0 }], clock()).limits[0]?.remaining).toBe(9)
  })
})

function throwGone(): never {
  throw new Error('gone')
}
