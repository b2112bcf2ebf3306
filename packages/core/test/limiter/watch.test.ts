import { beforeEach, describe, expect, test, vi } from 'vitest'
import {
  createLimiter,
  type Limiter,
  type LimiterOptions,
  type LimitSource,
  MemoryStore,
  manualClock,
  perMinute,
  type RailError,
  type Store,
  several,
} from '../../src/index.js'

interface Caller {
  readonly id: string | null
}

const LIMITS = [perMinute(5_000)]
let errors: RailError[] = []
const codes = (): string[] => errors.map(({ code }) => code)
beforeEach(() => {
  errors = []
})

function limiterOf(options: Partial<LimiterOptions<Caller>> = {}): Limiter<Caller> {
  return createLimiter<Caller>({
    identify: ({ id }: Caller) => id,
    limits: LIMITS,
    onError: (error: unknown) => void errors.push(error as RailError),
    ...options,
  } as LimiterOptions<Caller>)
}

function take(limiter: Limiter<Caller>, times: number, id: string | null = 'acme'): void {
  for (let count = 0; count < times; count++) limiter.take({ id })
}

describe('requests without a key', () => {
  test('are reported once when the first thousand all were', () => {
    const limiter = limiterOf()
    take(limiter, 999, null)
    expect(errors).toEqual([])
    take(limiter, 5_000, null)
    expect(errors.map(({ message }) => message)).toEqual([
      'identify(): null for each of the first 1000 requests. Mount the limiter after authentication.',
    ])
    expect(codes()).toEqual(['RAIL_ALL_ANONYMOUS'])
  })

  test('are not where anybody was identified, limited or not', () => {
    for (const limits of [LIMITS, []]) {
      const limiter = limiterOf({ limits })
      take(limiter, 999, null)
      take(limiter, 1)
      take(limiter, 5_000, null)
    }
    expect(errors).toEqual([])
  })
})

describe('a limiter that is made for each request', () => {
  /** The counts are the process's, so each test has a minute of its own. */
  let minute = 1e9
  beforeEach(() => {
    minute += 1e6
    vi.spyOn(performance, 'now').mockImplementation(() => minute)
  })

  test('is reported when a hundred with stores of their own have counted once within a minute', () => {
    for (let count = 0; count < 99; count++) take(limiterOf(), 1)
    expect(errors).toEqual([])
    for (let count = 0; count < 300; count++) take(limiterOf(), 1)
    expect(errors.map(({ message }) => message)).toEqual([
      'limiters: 100 with stores of their own within a minute, and none has counted two requests. Create the limiter once, outside the handler.',
    ])
    expect(codes()).toEqual(['RAIL_MADE_PER_REQUEST'])
  })

  test('is not where one of them counts twice, which share a store, or that have counted nothing', () => {
    const used = limiterOf()
    for (let count = 0; count < 90; count++) take(limiterOf(), 1)
    take(used, 2)
    for (let count = 0; count < 90; count++) take(limiterOf(), 1)
    const store = new MemoryStore()
    for (let count = 0; count < 300; count++) take(limiterOf({ store }), 1)
    for (let count = 0; count < 300; count++) limiterOf()
    expect(errors).toEqual([])
  })

  test('is not where a hundred take more than a minute', () => {
    for (let count = 0; count < 300; count++) {
      minute += 1_000
      take(limiterOf(), 1)
    }
    expect(errors).toEqual([])
  })
})

describe('one request object that is taken again and again', () => {
  test('is reported once, at the hundredth time', () => {
    const limiter = limiterOf()
    const socket = { id: 'acme' }
    for (let count = 0; count < 100; count++) limiter.take(socket)
    expect(errors).toEqual([])
    for (let count = 0; count < 1_000; count++) limiter.take(socket)
    expect(errors.map(({ message }) => message)).toEqual([
      'take(): one request object 100 times, counted once. For several messages of one connection use createLimiter({ once: false }).',
    ])
    expect(codes()).toEqual(['RAIL_SAME_REQUEST'])
  })

  test('counts each time with once: false, and of() is the latest outcome', () => {
    const limiter = limiterOf({ once: false, limits: [perMinute(3)], clock: manualClock() })
    const socket = { id: 'acme' }
    const allowed = [1, 2, 3, 4, 5].map(() => {
      const outcome = limiter.take(socket) as Exclude<ReturnType<typeof limiter.take>, PromiseLike<unknown>>
      expect(limiter.of(socket)).toBe(outcome)
      return outcome.decision?.allowed
    })
    expect(allowed).toEqual([true, true, true, false, false])
    expect(errors).toEqual([])
  })
})

describe('skip', () => {
  const WRONG = [undefined, null, 0, 1, '', 'no', 'false', [], {}, { skip: false }, () => true]
  test.each(WRONG)('that returns %o, or a promise of it, is an error, and no free pass', async (answer) => {
    for (const skip of [() => answer, async () => answer]) {
      const limiter = limiterOf({ skip: skip as never, limits: [perMinute(1)] })
      for (const request of [{ id: 'acme' }, { id: 'acme' }]) {
        await expect((async () => limiter.take(request))()).rejects.toMatchObject({ code: 'RAIL_BAD_SKIP' })
      }
    }
  })

  test.each([true, false])('that returns %s, or a promise of it, does as it says', async (answer) => {
    for (const skip of [() => answer, async () => answer]) {
      const { decision } = await limiterOf({ skip }).take({ id: 'acme' })
      expect(decision === undefined).toBe(answer)
    }
  })

  test('says what it expected', () => {
    const limiter = limiterOf({ skip: (() => 'no') as never })
    expect(() => limiter.take({ id: 'acme' })).toThrow('skip(): expected true or false, got "no".')
  })
})

describe('a source of limits', () => {
  const store = new MemoryStore()
  const shared: Store = {
    isShared: true,
    take: (...given) => store.take(...given),
    peek: (...given) => store.peek(...given),
    settle: (...given) => store.settle(...given),
    reset: (...given) => store.reset(...given),
  }

  test.each([
    ['a shared store', shared, true],
    ['a store of one server', store, false],
  ])('learns for each call that the limiter has %s', (_which, ofLimiter, isShared) => {
    const seen: unknown[] = []
    const source: LimitSource = {
      limitsFor: (...given) => {
        seen.push(given)
        return LIMITS
      },
    }
    const limiter = limiterOf({ limits: source, store: ofLimiter })
    limiter.take({ id: 'acme' })
    limiter.with({ scope: 'writes' }).take({ id: 'acme' })
    expect(seen).toEqual([
      ['acme', '', isShared],
      ['acme', '', isShared],
      ['acme', 'writes', isShared],
    ])
  })
})

test('properties of a charge are read once', () => {
  const reads: string[] = []
  const charge = new Proxy(
    { key: 'acme', limits: [perMinute(1)], cost: 1, scope: 'a' },
    {
      get(target, name, receiver) {
        reads.push(String(name))
        return Reflect.get(target, name, receiver)
      },
    },
  )
  createLimiter({ charges: several(() => [charge]) }).take({})
  expect(reads.sort()).toEqual(['cost', 'key', 'limits', 'scope'])
})
