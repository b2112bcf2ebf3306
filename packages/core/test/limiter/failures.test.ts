import { describe, expect, test } from 'vitest'
import {
  createLimiter,
  createPlanBook,
  type Decision,
  type LimiterOptions,
  type LimitSource,
  limit,
  localStore,
  MemoryStore,
  manualClock,
  type Outcome,
  perMinute,
  perSecond,
  problem,
  RailError,
  type Store,
  several,
  share,
} from '../../src/index.js'

interface Asked {
  readonly route?: string
}

const gone = new Error('gone')
const rejecting: Store = {
  take: () => Promise.reject(gone),
  peek: () => Promise.reject(gone),
  settle: () => Promise.reject(gone),
  reset: () => Promise.reject(gone),
}
const throwing: Store = {
  ...rejecting,
  take: () => {
    throw gone
  },
}

function limiterOf(options: Partial<LimiterOptions<Asked>> = {}) {
  const clock = manualClock()
  const errors: RailError[] = []
  const decisions: Decision[] = []
  const limiter = createLimiter<Asked>({
    identify: () => 'acme',
    limits: [perMinute(10)],
    clock,
    onError: (error: unknown) => errors.push(error as RailError),
    onDecision: (decision: Decision) => decisions.push(decision),
    ...options,
  } as LimiterOptions<Asked>)
  return { limiter, clock, errors, decisions, codes: () => errors.map((error) => error.code) }
}

const TEN = [perMinute(10)]

describe.each([
  ['rejects', rejecting],
  ['throws', throwing],
] as const)('a store that %s', (how, store) => {
  test('lets requests go on by default: no decision, so no headers', async () => {
    const { limiter, errors, decisions } = limiterOf({ store })
    expect(await limiter.take({})).toMatchObject({ decision: undefined, headers: [], refusal: undefined })
    expect(decisions).toEqual([])
    expect(errors).toEqual([expect.objectContaining({ code: 'RAIL_STORE_FAILED', cause: gone })])
    if (how === 'throws') expect(limiter.take({})).not.toHaveProperty('then')
  })

  test('refuses with 503 if told so: Retry-After, and no field that claims a limit', async () => {
    const { limiter } = limiterOf({ store, onStoreFailure: 'refuse' })
    const { decision, refusal, headers } = await limiter.take({})
    expect(decision).toBeUndefined()
    expect(refusal).toMatchObject({ status: 503, retryAfter: 1, body: '{"error":"unavailable","retry_after":1}' })
    expect(headers.map(({ name, value }) => `${name}: ${value}`)).toEqual(['Retry-After: 1', 'Cache-Control: no-store'])
  })

  test('is stood in for by memory if told so, at this server’s share', async () => {
    const { limiter, decisions } = limiterOf({ store, onStoreFailure: localStore({ servers: 4 }) })
    const outcomes: Outcome[] = []
    for (let request = 0; request < 4; request++) outcomes.push(await limiter.take({}))
    expect(outcomes.map(({ decision }) => decision?.limits[0]?.remaining)).toEqual([2, 1, 0, 0])
    expect(outcomes.map(({ refusal }) => refusal?.status)).toEqual([undefined, undefined, undefined, 429])
    expect(outcomes[0]?.headers[0]?.value).toBe('"per_minute";q=3;w=60')
    expect(decisions).toHaveLength(4)
    outcomes[0]?.settle(0)
    expect((await limiter.take({})).refusal).toBeUndefined()
  })

  test('is settled in what stands in for it at the share too, also when the bucket is full again', async () => {
    const { limiter, clock } = limiterOf({
      store: { ...store },
      onStoreFailure: localStore({ servers: 4 }),
      limits: [perMinute(40)],
    })
    const { settle } = await limiter.take({})
    clock.advance(60_000)
    settle(16)
    // A share of 10 that owes 15: 5 and the one that is asked have to drain first.
    expect((await limiter.take({})).decision).toMatchObject({ retryAfterMs: 36_000 })
  })

  test('is stood in for at a share of as many servers as there are at that moment', async () => {
    let servers = 2
    const { limiter } = limiterOf({ store, onStoreFailure: localStore({ servers: () => servers }) })
    expect((await limiter.take({})).decision?.limits[0]?.limit.burst).toBe(5)
    servers = 5
    expect((await limiter.take({})).decision?.limits[0]?.limit.burst).toBe(2)
  })

  test('is stood in for by shares that are made once for each set of limits', async () => {
    const { limiter } = limiterOf({ store, onStoreFailure: localStore({ servers: () => 3 }) })
    const [first, second] = [(await limiter.take({})).decision, (await limiter.take({})).decision]
    expect(second?.limits[0]?.limit).toBe(first?.limits[0]?.limit)
  })

  const EXPECTED = 'servers(): expected a whole number from 1, or undefined while it is not known, got'
  const WRONG: readonly [string, () => unknown, fault: string][] = [
    ['0', () => 0, `${EXPECTED} 0`],
    ['1.5', () => 1.5, `${EXPECTED} 1.5`],
    ['NaN', () => Number.NaN, `${EXPECTED} NaN`],
    ['a string', () => '3', `${EXPECTED} "3"`],
    ['a promise', () => Promise.resolve(3), `${EXPECTED} an object`],
    ['a promise that rejects', () => Promise.reject(new Error('away')), `${EXPECTED} an object`],
    [
      'an error',
      () => {
        throw new Error('away')
      },
      'servers() failed: away',
    ],
  ]
  test.each(WRONG)(
    'is stood in for by the last good number of servers where servers returns %s',
    async (_what, wrong, fault) => {
      let answer: () => unknown = wrong
      const servers = (() => answer()) as () => number
      const { limiter, errors } = limiterOf({ store, onStoreFailure: localStore({ servers }) })
      const burst = async () => (await limiter.take({})).decision?.limits[0]?.limit.burst
      // It was called when the limiter was made, and reported once until it is right.
      const faults = () => errors.filter(({ code }) => code !== 'RAIL_STORE_FAILED').map(({ message }) => message)
      expect(faults()).toEqual([`${fault}. 1 is assumed.`])
      expect([await burst(), await burst()]).toEqual([10, 10])
      answer = () => 5
      expect(await burst()).toBe(2)
      answer = wrong
      expect([await burst(), await burst()]).toEqual([2, 2])
      expect(faults()).toEqual([`${fault}. 1 is assumed.`, `${fault}. 5 is assumed.`])
    },
  )

  test('is stood in for by whole limits, in silence, while servers returns undefined', async () => {
    const { limiter, codes } = limiterOf({ store, onStoreFailure: localStore({ servers: () => undefined }) })
    expect((await limiter.take({})).decision?.limits[0]?.limit.burst).toBe(10)
    expect(codes()).toEqual(['RAIL_STORE_FAILED'])
  })

  test('of several servers is stood in for by shares of the number of servers that the source of limits knows', async () => {
    let servers: number | undefined
    const source: LimitSource = { limitsFor: () => TEN, servers: () => servers }
    const shared = { ...store, isShared: true }
    const { limiter } = limiterOf({ store: shared, limits: source, onStoreFailure: localStore() })
    const burst = async () => (await limiter.take({})).decision?.limits[0]?.limit.burst
    expect(await burst()).toBe(10)
    servers = 5
    expect(await burst()).toBe(2)
    servers = undefined
    expect(await burst()).toBe(2)
    const own = limiterOf({ store: shared, limits: source, onStoreFailure: localStore({ servers: 2 }) })
    expect((await own.limiter.take({})).decision?.limits[0]?.limit.burst).toBe(5)
  })

  test('of one server is stood in for by the limits of the source as they are: they are shares', async () => {
    const source: LimitSource = { limitsFor: () => TEN, servers: () => 5 }
    const { limiter } = limiterOf({ store, limits: source, onStoreFailure: localStore() })
    expect((await limiter.take({})).decision?.limits[0]?.limit.burst).toBe(10)
  })

  test('is stood in for by one store for all limiters that have it', async () => {
    const onStoreFailure = localStore({ servers: 5 })
    const allowed: unknown[] = []
    for (const { limiter } of [limiterOf({ store, onStoreFailure }), limiterOf({ store, onStoreFailure })]) {
      for (let count = 0; count < 2; count++) allowed.push((await limiter.take({})).decision?.allowed)
    }
    expect(allowed).toEqual([true, true, false, false])
  })

  test('is replaced by any other synchronous store, and by none where that one fails too', async () => {
    const other = new MemoryStore()
    const { limiter, errors } = limiterOf({ store, onStoreFailure: other })
    expect((await limiter.take({})).decision?.allowed).toBe(true)
    expect(other.size).toBe(1)
    other.take = () => {
      throw new Error('full')
    }
    expect(await limiter.take({})).toMatchObject({ decision: undefined, refusal: undefined })
    expect(errors.at(-1)).toMatchObject({ message: 'full' })
  })

  test('is not replaced by an asynchronous store: that is an error, and lets nothing through', async () => {
    const other = new MemoryStore()
    const later: Store = { ...store, take: async (charges, now) => other.take(charges, now) }
    const { limiter } = limiterOf({ store, onStoreFailure: later as never })
    await expect((async () => limiter.take({}))()).rejects.toMatchObject({
      code: 'RAIL_BAD_OPTION',
      message:
        'onStoreFailure: expected a synchronous store, got a promise. Use localStore(), whose buckets are in this process.',
    })
  })

  test('is asked once for each route of a request: it may have taken what it did not answer', async () => {
    let takes = 0
    const counted: Store = {
      ...store,
      take: (charges, now) => {
        takes++
        return store.take(charges, now)
      },
    }
    const { limiter } = limiterOf({ store: counted })
    const request = {}
    for (const route of [limiter, limiter, limiter.with({ cost: 2 })]) await route.take(request)
    expect(takes).toBe(2)
    await limiter.take({})
    expect(takes).toBe(3)
  })

  test('in a dry run refuses nothing', async () => {
    expect(
      (await limiterOf({ store, onStoreFailure: 'refuse', dryRun: true }).limiter.take({})).refusal,
    ).toBeUndefined()
  })

  test('is told at most once a second, with how many failures it stands for', async () => {
    const { limiter, clock, errors, codes } = limiterOf({ store })
    const fail = async (now: number, times: number) => {
      clock.set(now)
      for (let request = 0; request < times; request++) await limiter.take({})
    }
    await fail(5_000, 3)
    expect(codes()).toEqual(['RAIL_STORE_FAILED'])
    await fail(5_999, 2)
    expect(errors).toHaveLength(1)
    await fail(6_000, 1)
    expect(errors).toHaveLength(2)
    expect(errors[1]?.message).toContain('5 times')
    // A step back of the clock does not silence it.
    await fail(1_000, 1)
    expect(errors).toHaveLength(3)
  })

  test('takes nothing back in memory of what the store has taken before', async () => {
    const memory = new MemoryStore()
    let broken = false
    const flaky: Store = {
      ...rejecting,
      take: (charges, now) => (broken ? store.take(charges, now) : memory.take(charges, now)),
    }
    const { limiter } = limiterOf({ store: flaky, onStoreFailure: localStore() })
    const request = {}
    await limiter.take(request)
    broken = true
    await limiter.with({ cost: 3 }).take({})
    const local = await limiter.with({ cost: 4 }).take(request)
    expect(local.decision?.limits[0]?.remaining).toBe(3)
    // And the other way round.
    broken = false
    const back = await limiter.with({ cost: 5 }).take(request)
    expect(back.decision?.limits[0]?.remaining).toBe(4)
  })
})

describe('what a store throws because the charges are wrong', () => {
  test('is no failure of the store: it reaches the caller', () => {
    const charges = several(() => [
      { key: 'acme', limits: [perMinute(10)], cost: 1 },
      { key: 'acme', limits: [perMinute(20)], cost: 1 },
    ])
    const { limiter, errors } = limiterOf({ identify: undefined, limits: undefined, charges } as Partial<
      LimiterOptions<Asked>
    >)
    expect(() => limiter.take({})).toThrow(expect.objectContaining({ code: 'RAIL_BAD_CHARGES' }))
    expect(errors).toEqual([])
  })

  test('reaches the caller from another copy of core too', () => {
    class RailErrorOfAnother extends Error {
      override readonly name = 'RailError'
      readonly code = 'RAIL_BAD_CHARGES'
    }
    const take = () => {
      throw new RailErrorOfAnother()
    }
    const { limiter, errors } = limiterOf({ store: { ...throwing, take } })
    expect(() => limiter.take({})).toThrow(RailErrorOfAnother)
    expect(errors).toEqual([])
  })
})

describe('hooks', () => {
  test('an error in onDecision never reaches the request; the decision stands', async () => {
    const { limiter, errors } = limiterOf({
      onDecision: () => {
        throw gone
      },
    })
    expect((await limiter.take({})).decision?.allowed).toBe(true)
    expect(errors).toEqual([expect.objectContaining({ code: 'RAIL_HOOK_FAILED', cause: gone })])
  })

  test('an error in onError goes nowhere', async () => {
    const { limiter } = limiterOf({
      store: rejecting,
      onError: () => {
        throw gone
      },
    })
    expect((await limiter.take({})).refusal).toBeUndefined()
  })

  test('without onError nothing breaks', async () => {
    expect((await limiterOf({ store: rejecting, onError: undefined }).limiter.take({})).refusal).toBeUndefined()
  })

  test('a source is told of each decision too, and its errors are hook errors', () => {
    const seen: (Decision | undefined)[][] = []
    const source = {
      limitsFor: () => [perMinute(10)],
      onDecision: (...told: (Decision | undefined)[]) => void seen.push(told),
    }
    const { limiter, decisions } = limiterOf({ limits: source })
    limiter.take({})
    expect(seen).toEqual([[decisions[0], undefined]])
    const broken = limiterOf({
      limits: {
        ...source,
        onDecision: () => {
          throw gone
        },
      },
    })
    broken.limiter.take({})
    expect(broken.codes()).toEqual(['RAIL_HOOK_FAILED'])
  })
})

describe('an asynchronous hook that rejects', () => {
  const rejects = () => Promise.reject(gone)
  const settled = async () => {
    // A rejection that nobody hears is told in a later turn, and fails the run.
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
  }

  test('is told to onError as one that throws is, the source’s and the user’s each', async () => {
    const { limiter, codes } = limiterOf({
      limits: { limitsFor: () => [perMinute(10)], onDecision: rejects },
      onDecision: rejects,
    })
    expect(limiter.take({})).toMatchObject({ refusal: undefined, decision: { allowed: true } })
    await settled()
    expect(codes()).toEqual(['RAIL_HOOK_FAILED', 'RAIL_HOOK_FAILED'])
  })

  test('harms nobody where it is onError, or the detail of a problem', async () => {
    const told: unknown[] = []
    const onError = (error: unknown) => {
      told.push(error)
      return rejects()
    }
    const detail = rejects as never
    const { limiter } = limiterOf({ limits: [perMinute(1)], onError, onReject: problem({ detail }) })
    await limiter.take({})
    expect((await limiter.take({})).refusal?.body).not.toContain('detail')
    await settled()
    expect(told).toHaveLength(1)
  })
})

describe('a dry run', () => {
  test('takes tokens, tells onDecision, has the decision, sends nothing and refuses nothing', async () => {
    const store = new MemoryStore()
    const { limiter, decisions } = limiterOf({ dryRun: true, limits: [perMinute(1)], store })
    await limiter.take({})
    const outcome = await limiter.take({})
    expect(outcome).toMatchObject({ decision: { allowed: false }, headers: [], refusal: undefined })
    expect(decisions.map((decision) => decision.allowed)).toEqual([true, false])
  })
})

describe('a dry run of a request that is asked about twice', () => {
  test('counts it and tells of it once, would it be refused or not', async () => {
    const { limiter, decisions, clock } = limiterOf({ dryRun: true, limits: [perMinute(1)] })
    const [first, second] = [{}, {}]
    for (const request of [first, first, second, second]) await limiter.take(request)
    clock.set(60_000)
    await limiter.take(second)
    expect(decisions.map((decision) => decision.allowed)).toEqual([true, false])
  })
})

describe('a cost that never fits', () => {
  test('is 422 with the largest cost that fits, and without a wait, and is reported once for each limit', async () => {
    const { limiter, codes, errors } = limiterOf({ limits: [perMinute(10), perSecond(3)], cost: () => 5 })
    for (let request = 0; request < 3; request++) {
      const { refusal, headers } = await limiter.take({})
      expect(refusal).toMatchObject({
        status: 422,
        retryAfter: undefined,
        most: 3,
        body: '{"error":"cost_too_large","most":3}',
      })
      expect(headers.map(({ name, value }) => `${name}: ${value}`)).toEqual([
        'RateLimit-Policy: "per_minute";q=10;w=60, "per_second";q=3;w=1',
        'RateLimit: "per_minute";r=10;t=0, "per_second";r=3',
        'x-should-retry: false',
        'Cache-Control: no-store',
      ])
    }
    expect(codes()).toEqual(['RAIL_NEVER_FITS'])
    expect(errors[0]?.message).toMatch(/^cost: expected at most 3, the burst of limit "per_second", got 5/)
    await limiter.with({ cost: () => 11 }).take({})
    expect(codes()).toEqual(['RAIL_NEVER_FITS', 'RAIL_NEVER_FITS'])
  })

  test('wins over a limit that a wait would help, and takes nothing', async () => {
    let cost = 3
    const { limiter } = limiterOf({ limits: [perMinute(10), perSecond(3)], cost: () => cost })
    await limiter.take({})
    cost = 4
    const { refusal, decision } = await limiter.take({})
    expect([refusal?.status, refusal?.most]).toEqual([422, 3])
    expect(decision?.limits.map(({ remaining }) => remaining)).toEqual([7, 0])
  })

  test('names the least of the bursts that are too small, of shares the whole one', async () => {
    const limits = [limit({ name: 'a', tokens: 9, per: '1s' }), share(limit({ name: 'b', tokens: 6, per: '1s' }), 3)]
    const { limiter } = limiterOf({ limits: () => limits, cost: () => 10 })
    expect((await limiter.take({})).refusal?.most).toBe(6)
  })

  test.each<[string, () => unknown]>([
    ['of the limiter', () => limiterOf({ limits: [perMinute(10), perSecond(3)], cost: 5 })],
    ['of a route', () => limiterOf({ limits: [perSecond(3)] }).limiter.with({ cost: 5 })],
    [
      'of a route that keeps the limiter’s cost',
      () => limiterOf({ limits: [perMinute(9)], cost: 5 }).limiter.with({ scope: 'x', limits: [perSecond(3)] }),
    ],
  ])('is an error at once where cost and limits are the same for every request: %s', (_which, make) => {
    expect(make).toThrow(expect.objectContaining({ code: 'RAIL_NEVER_FITS' }))
    expect(make).toThrow(/^cost: expected at most 3, the burst of limit "(x\.)?per_second", got 5/)
  })

  test('is one above the whole limit: above this server’s share it waits until the bucket is full, and passes', async () => {
    for (const [tokens, statuses] of [
      [4, [200, 429, 429, 200]],
      [2, [422, 422, 422, 422]],
    ] as const) {
      const onStoreFailure = localStore({ servers: 4 })
      const { limiter, clock } = limiterOf({
        limits: [perSecond(tokens)],
        cost: () => 3,
        store: { ...rejecting },
        onStoreFailure,
      })
      const got: number[] = []
      for (const now of [0, 0, 2_999, 3_000]) {
        clock.set(now)
        got.push((await limiter.take({})).refusal?.status ?? 200)
      }
      expect(got).toEqual(statuses)
    }
  })

  test('is found on a request where a plan book has the limits, since its plans may change', async () => {
    const plans = { free: { limits: { per_second: 3 } }, pro: { limits: { per_second: 10 } } }
    const book = createPlanBook({ plans, customers: { acme: { plan: 'pro' } }, defaultPlan: 'free' })
    const { limiter, codes } = limiterOf({ limits: book, cost: 5, identify: ({ route = '' }) => route })
    const statuses = async () => {
      const outcomes = [await limiter.take({ route: 'acme' }), await limiter.take({ route: 'globex' })]
      return outcomes.map(({ refusal }) => refusal?.status ?? 200)
    }
    expect([await statuses(), codes()]).toEqual([[200, 422], ['RAIL_NEVER_FITS']])
    book.update({ plans: { free: { limits: { per_second: 20 } } } })
    expect(await statuses()).toEqual([200, 200])
  })

  test('is none where the limit counts requests', () => {
    expect(() => limiterOf({ limits: [perSecond(3, { counts: 'requests' })], cost: 5 })).not.toThrow()
  })
})

describe('errors of the wrong kind', () => {
  test('what is told to onError is a RailError, with the cause kept', async () => {
    const { limiter, errors } = limiterOf({ store: rejecting })
    await limiter.take({})
    expect(errors[0]).toBeInstanceOf(RailError)
    expect(errors[0]).toBeInstanceOf(Error)
    expect(errors[0]?.name).toBe('RailError')
    expect(errors[0]?.cause).toBe(gone)
  })
})
