import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  createLimiter,
  type Limiter,
  type LimiterOptions,
  type LimitSource,
  localStore,
  MemoryStore,
  manualClock,
  perMinute,
  type RailError,
  type Store,
  several,
  share,
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

function limiterOf(options: Partial<LimiterOptions<Caller>> = {}, make = createLimiter): Limiter<Caller> {
  return make<Caller>({
    identify: ({ id }: Caller) => id,
    limits: LIMITS,
    onError: (error: unknown) => void errors.push(error as RailError),
    ...options,
  } as LimiterOptions<Caller>)
}

function take(limiter: Limiter<Caller>, times: number, id: string | null = 'acme'): void {
  for (let count = 0; count < times; count++) limiter.take({ id })
}

/** A store of several servers, whose buckets are in another. */
function sharedStore(store: Store): Store {
  return {
    isShared: true,
    take: (...given) => store.take(...given),
    peek: (...given) => store.peek(...given),
    settle: (...given) => store.settle(...given),
    reset: (...given) => store.reset(...given),
  }
}

describe('requests without a key', () => {
  test('are reported once when the first thousand all were', () => {
    const limiter = limiterOf()
    take(limiter, 999, null)
    expect(errors).toEqual([])
    take(limiter, 5_000, null)
    expect(errors.map(({ message }) => message)).toEqual([
      'identify() or several(): no key for any of the first 1000 requests. Mount the limiter after authentication.',
    ])
    expect(codes()).toEqual(['RAIL_ALL_ANONYMOUS'])
  })

  test('are reported where they have no charges', () => {
    const onError = (error: unknown) => void errors.push(error as RailError)
    const chargesOf = ({ id }: Caller) => (id === null ? [] : [{ key: id, limits: LIMITS, cost: 1 }])
    const [nobody, somebody] = [1, 2].map(() => createLimiter<Caller>({ charges: several(chargesOf), onError }))
    for (let count = 0; count < 2_000; count++) nobody?.take({ id: null })
    expect(codes()).toEqual(['RAIL_ALL_ANONYMOUS'])
    for (let count = 0; count < 2_000; count++) somebody?.take({ id: count === 999 ? 'acme' : null })
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
  let now = 0
  let make: typeof createLimiter
  beforeEach(async () => {
    vi.resetModules()
    // A process that has made none yet.
    make = (await import('../../src/index.js')).createLimiter
    vi.spyOn(performance, 'now').mockImplementation(() => now)
  })
  afterEach(() => vi.restoreAllMocks())

  /** Makes so many limiters, each of which counts one request. */
  function makeAndTake(times: number, options: () => Partial<LimiterOptions<Caller>> = () => ({})): void {
    for (let count = 0; count < times; count++) take(limiterOf(options(), make), 1)
  }

  test.each<[string, () => Partial<LimiterOptions<Caller>>]>([
    ['the default store', () => ({})],
    ['a store that is made with it', () => ({ store: new MemoryStore() })],
  ])('with %s is reported once, when a hundred have counted once within a minute', (_which, options) => {
    makeAndTake(99, options)
    expect(errors).toEqual([])
    makeAndTake(300, options)
    now += 120_000
    makeAndTake(300, options)
    expect(errors.map(({ message }) => message)).toEqual([
      'limiters: 100 with stores of their own within a minute, and none has counted two requests. Create the limiter once, outside the handler.',
    ])
    expect(codes()).toEqual(['RAIL_MADE_PER_REQUEST'])
  })

  test('is not where one of them counts twice, which share a store, or that have counted nothing', () => {
    const used = limiterOf({}, make)
    makeAndTake(90)
    take(used, 2)
    makeAndTake(90)
    const store = new MemoryStore()
    makeAndTake(300, () => ({ store }))
    makeAndTake(300, () => ({ store: sharedStore(store) }))
    for (let count = 0; count < 300; count++) limiterOf({}, make)
    expect(errors).toEqual([])
  })

  test('is not where a hundred take more than a minute', () => {
    makeAndTake(300, () => {
      now += 1_000
      return {}
    })
    expect(errors).toEqual([])
  })
})

describe('two clocks on one store', () => {
  const at = (ms: number) => manualClock(ms)

  test('are reported once, when the second limiter has counted, with how far they are apart', () => {
    const store = new MemoryStore()
    take(limiterOf({ store, clock: at(5) }), 3)
    const later = limiterOf({ store, clock: at(60_006) })
    expect(errors).toEqual([])
    take(later, 3)
    expect(errors.map(({ code, message }) => [code, message])).toEqual([
      [
        'RAIL_TWO_CLOCKS',
        "clock: 60001 ms apart from another limiter's on the same store. Give both the same clock, or each a store of its own.",
      ],
    ])
  })

  test('are reported where one is the default, and whichever is ahead', () => {
    for (const clocks of [
      [undefined, Date.now],
      [Date.now, undefined],
      [at(1_000_000), at(0)],
    ]) {
      const store = new MemoryStore()
      for (const clock of clocks) take(limiterOf({ store, clock }), 1)
    }
    expect(codes()).toEqual(Array(3).fill('RAIL_TWO_CLOCKS'))
  })

  test('are not where they are a minute apart, are one, cannot be read, or where the store has its own', () => {
    const clock = at(7)
    const broken = () => {
      throw new Error('no time')
    }
    const pairs = [
      [at(0), at(60_000)],
      [clock, clock],
    ]
    for (const both of pairs) {
      const store = new MemoryStore()
      for (const each of both) take(limiterOf({ store, clock: each }), 1)
    }
    const shared = sharedStore(new MemoryStore())
    for (const each of [at(0), at(1e9)]) take(limiterOf({ store: shared, clock: each }), 1)
    const store = new MemoryStore()
    limiterOf({ store, clock: broken })
    take(limiterOf({ store, clock: at(0) }), 1)
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
  const shared = sharedStore(store)

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

test("a shared store counts whole limits of a source that splits them, and the local store this server's shares", async () => {
  const whole = [perMinute(8)]
  const shares = whole.map((limit) => share(limit, 4))
  const source: LimitSource = {
    limitsFor: (_key, _scope, isShared) => (isShared === true ? whole : shares),
    servers: () => 4,
  }
  const redis = sharedStore(new MemoryStore())
  const store = { ...redis }
  const servers = [1, 2, 3, 4].map(() => limiterOf({ limits: source, store, onStoreFailure: localStore() }))
  const allowed = async (times: number) => {
    let count = 0
    for (let turn = 0; turn < times; turn++) {
      const { decision } = (await servers[turn % 4]?.take({ id: 'acme' })) ?? {}
      if (decision?.allowed) count++
    }
    return count
  }
  expect(await allowed(40)).toBe(8)
  store.take = () => {
    throw new Error('gone')
  }
  expect(await allowed(40)).toBe(8)
  const alone = limiterOf({ limits: source })
  expect((await alone.take({ id: 'acme' })).decision?.limits[0]?.limit.burst).toBe(2)
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
