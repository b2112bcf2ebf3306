import { describe, expect, test } from 'vitest'
import {
  createLimiter,
  type Decision,
  type Limiter,
  type LimiterOptions,
  type MaybePromise,
  MemoryStore,
  manualClock,
  type Outcome,
  perMinute,
  type RouteOptions,
  type Store,
} from '../../src/index.js'

const ten = perMinute(10)

/** A limiter, and the limiters that its framework knows to be ahead of every request. */
function limiterOf(routes: readonly RouteOptions<object>[], options: Partial<LimiterOptions<object>> = {}) {
  const ahead: (object | undefined)[] = []
  const errors: unknown[] = []
  const decisions: Decision[] = []
  const limiter = createLimiter<object>(
    {
      identify: () => 'acme',
      limits: [ten],
      clock: manualClock(),
      onError: (error: unknown) => errors.push(error),
      onDecision: (decision: Decision) => decisions.push(decision),
      ...options,
    } as LimiterOptions<object>,
    { ahead: () => ahead },
  )
  ahead.push(undefined, {}, ...routes.map((route) => limiter.with(route)))
  return { limiter, ahead: ahead as Limiter<object>[], errors, decisions }
}

async function refusedAfter(limiter: Limiter<object>, allowed = 10): Promise<Outcome> {
  for (let request = 0; request < allowed; request++) expect((await limiter.take({})).refusal).toBeUndefined()
  return limiter.take({})
}

/** A memory store that counts peeks, and has them fail, or answers late. */
function watched(peek: (store: MemoryStore, ...given: Parameters<Store['peek']>) => MaybePromise<Decision>) {
  const store = new MemoryStore()
  let peeks = 0
  const watching: Store = {
    take: (...given) => store.take(...given),
    peek: (...given) => {
      peeks++
      return peek(store, ...given)
    },
    settle: (...given) => store.settle(...given),
    reset: (...given) => store.reset(...given),
  }
  return { store: watching, peeks: () => peeks }
}

describe('a refusal announces the longest wait of the routes ahead', () => {
  test.each<[string, readonly RouteOptions<object>[], number, readonly number[]]>([
    ['none', [], 6, [1]],
    ['a costlier one', [{ cost: 5 }], 30, [5]],
    ['the costliest of several, wherever it is', [{ cost: 5 }, { cost: 7 }, { cost: 2 }], 42, [7]],
    ['a cheaper one changes nothing', [{ cost: 0 }], 6, [1]],
    ['a tighter one, beside the plan', [{ scope: 'w', limits: [perMinute(2)], cost: 2 }, { cost: 3 }], 18, [3, 2]],
    [
      'whose limits are asynchronous',
      [{ scope: 'w', limits: async () => [perMinute(2)], cost: async () => 2 }],
      12,
      [2, 2],
    ],
  ])('%s', async (_, routes, seconds, costs) => {
    const { limiter, decisions } = limiterOf(routes)
    const { refusal, decision, headers } = await refusedAfter(limiter)
    expect([refusal?.retryAfter, decision?.limits.map(({ cost }) => cost)]).toEqual([seconds, costs])
    expect(headers.find(({ name }) => name === 'Retry-After')?.value).toBe(String(seconds))
    expect(refusal?.decision).toBe(decision)
    expect(decisions.at(-1)).toBe(decision)
  })

  test('and takes nothing', async () => {
    const store = new MemoryStore()
    const { limiter } = limiterOf([{ scope: 'w', limits: [perMinute(2)] }], { store })
    await refusedAfter(limiter)
    expect(store.peek([{ key: 'acme', scope: 'w', limits: [perMinute(2)], cost: 0 }], 0).limits[0]?.remaining).toBe(2)
    expect(store.size).toBe(1)
  })

  test('but of none that has decided already', async () => {
    const { store, peeks } = watched((memory, ...given) => memory.peek(...given))
    const { ahead } = limiterOf([{ cost: 5 }, { cost: 8 }, { cost: 2 }], { store })
    const [first, second] = ahead.slice(2) as [Limiter<object>, Limiter<object>]
    const request = {}
    await first.take({})
    await first.take(request)
    expect((await second.take(request)).refusal?.retryAfter).toBe(18)
    // Only the third is ahead.
    expect(peeks()).toBe(1)
  })

  test('from the store that counts while another fails', async () => {
    const broken = { take: fail, peek: fail, settle: fail, reset: fail } as unknown as Store
    const { limiter } = limiterOf([{ cost: 5 }], { store: broken, onStoreFailure: new MemoryStore() })
    expect((await refusedAfter(limiter)).refusal?.retryAfter).toBe(30)
  })

  test('and no peek is made for a request that is allowed, in a dry run, or where no route is ahead', async () => {
    const { store, peeks } = watched((memory, ...given) => memory.peek(...given))
    await limiterOf([{ cost: 5 }], { store }).limiter.take({})
    await refusedAfter(limiterOf([{ cost: 5 }], { store, dryRun: true }).limiter, 12)
    await limiterOf([], { store }).limiter.take({})
    expect(peeks()).toBe(0)
  })
})

describe('what cannot be known is left out', () => {
  test.each<[string, RouteOptions<object>]>([
    ['a cost that throws', { cost: fail }],
    ['a cost that rejects', { cost: async () => fail() }],
    ['a cost that is none', { cost: () => Number.NaN }],
    ['limits that are none', { scope: 'w', limits: () => undefined as never }],
  ])('%s: the other routes count', async (_, route) => {
    const { limiter, errors } = limiterOf([route, { cost: 5 }])
    expect([(await refusedAfter(limiter)).refusal?.retryAfter, errors]).toEqual([30, []])
  })

  test.each(['throws', 'rejects'])('a store whose peek %s is reported', async (how) => {
    const { store } = watched(() => (how === 'throws' ? fail() : Promise.reject(new Error('gone'))))
    const { limiter, errors } = limiterOf([{ cost: 5 }], { store })
    expect((await refusedAfter(limiter)).refusal?.retryAfter).toBe(6)
    expect(errors).toEqual([
      expect.objectContaining({ code: 'RAIL_STORE_FAILED', message: 'store: peek() failed: gone' }),
    ])
  })

  test('a framework that fails to find them', async () => {
    const options = { identify: () => 'acme', limits: [ten], clock: manualClock() }
    const limiter = createLimiter<object>(options, { ahead: fail })
    limiter.with({ cost: 5 })
    expect((await refusedAfter(limiter)).refusal?.retryAfter).toBe(6)
  })
})

function fail(): never {
  throw new Error('gone')
}
