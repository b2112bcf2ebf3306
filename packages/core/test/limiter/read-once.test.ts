import { describe, expect, test } from 'vitest'
import {
  createLimiter,
  type Limit,
  type LimiterOptions,
  localStore,
  manualClock,
  type Outcome,
  perHour,
  perMinute,
  share,
} from '../../src/index.js'

const two = perHour(2)
const many = perHour(1_000)

/** An object whose members are these when they are read first, and others from then on; and how often each was read. */
function changing<T extends object>(first: T, later: object = {}) {
  const reads = new Map<PropertyKey, number>()
  const object = new Proxy(first, {
    get(target, name) {
      const read = (reads.get(name) ?? 0) + 1
      reads.set(name, read)
      return Reflect.get(read > 1 && name in later ? later : target, name)
    },
  })
  return { object, reads }
}

class OtherIterator extends Array<Limit> {
  override *[Symbol.iterator](): ArrayIterator<Limit> {
    yield many
  }
}

function firstThen<T>(first: T, later: T): () => T {
  let reads = 0
  return () => (reads++ === 0 ? first : later)
}

/** Limits of two an hour, which are others when they are read again. */
const TRICKY: readonly (readonly [what: string, make: () => readonly Limit[]])[] = [
  [
    'of a Proxy of a limit',
    () => [changing({ ...two }, { size: many.size, burst: many.burst, wholeBurst: many.wholeBurst }).object],
  ],
  [
    'of a limit with a getter',
    () => [Object.defineProperty({ ...two }, 'size', { get: firstThen(two.size, many.size), enumerable: true })],
  ],
  ['of an array with an iterator of its own', () => OtherIterator.from([two])],
]

/** How many of five requests are allowed. What cannot be used is an error, and allows none. */
function allowed(make: () => { take(request: object): unknown }): number {
  let count = 0
  try {
    const limiter = make()
    for (let request = 0; request < 5; request++) {
      const { refusal } = limiter.take({}) as { refusal?: object }
      if (refusal === undefined) count++
    }
  } catch (error) {
    expect(error).toBeInstanceOf(Error)
  }
  return count
}

const limiterOf = (options: object) =>
  createLimiter({ identify: () => 'acme', limits: [many], clock: manualClock(), ...options } as LimiterOptions<object>)

describe.each(TRICKY)('limits %s', (_, make) => {
  test.each<[string, () => { take(request: object): unknown }]>([
    ['of the limiter', () => limiterOf({ limits: make() })],
    ['of a function', () => limiterOf({ limits: make })],
    [
      'of a function that returns the same array',
      () =>
        limiterOf({
          limits: (
            (same) => () =>
              same
          )(make()),
        }),
    ],
    ['of a source', () => limiterOf({ limits: { limitsFor: make } })],
    ['of a route', () => limiterOf({ limits: [] }).with({ scope: 'a', limits: make() })],
    ['of the function of a route', () => limiterOf({ limits: [] }).with({ scope: 'a', limits: make })],
  ])('allow no more than was checked, %s', (_of, limiter) => {
    expect(allowed(limiter)).toBeLessThanOrEqual(2)
  })
})

/** An array that has another limit each time it is read: one an hour, two an hour and so on. */
const READ: readonly (readonly [what: string, make: (read: () => Limit) => readonly Limit[]])[] = [
  [
    'a Proxy',
    (read) => new Proxy([two], { get: (target, name) => (name === '0' ? read() : Reflect.get(target, name)) }),
  ],
  ['a getter', (read) => Object.defineProperty([], 0, { get: read, enumerable: true })],
]

test.each(READ)('an array with %s is not read any more once its limits are checked', (_, make) => {
  for (const isStatic of [true, false]) {
    let reads = 0
    const array = make(() => perHour(++reads))
    const limiter = limiterOf({ limits: isStatic ? array : () => array })
    const { decision, headers } = limiter.take({}) as Outcome
    expect(reads).toBeGreaterThan(0)
    expect(decision?.limits[0]?.limit).toBe(perHour(reads))
    expect(headers[0]?.value).toBe(`"per_hour";q=${reads};w=3600`)
  }
})

describe('options', () => {
  test('are each read once', () => {
    const { object, reads } = changing({
      identify: () => 'acme',
      limits: [perMinute(5)],
      cost: 1,
      scope: 'a',
      skip: () => false,
      onError: () => {},
      dryRun: false,
    })
    createLimiter(object).take({})
    expect([...reads.values()].every((count) => count === 1)).toBe(true)
    expect(reads.size).toBeGreaterThan(7)
  })

  test('of a route are each read once', () => {
    const { object, reads } = changing({ cost: 2, scope: 'a', limits: [perMinute(5)] })
    limiterOf({}).with(object).take({})
    expect([...reads]).toEqual([
      ['cost', 1],
      ['scope', 1],
      ['limits', 1],
    ])
  })
})

test('a share of a limit that changes when it is read again is a share of what was checked', () => {
  for (const [what, make] of TRICKY.slice(0, 2)) {
    const limit = make()[0] as Limit
    expect(share(limit, 2), what).toEqual(share(two, 2))
    expect(share(make()[0] as Limit, 1), what).toEqual(two)
  }
})

test('servers is called when the limiter is made, and for each request that a local store counts', () => {
  const calls: string[] = []
  const store = {
    take: () => {
      throw new Error('gone')
    },
    peek: () => {
      throw new Error('gone')
    },
    settle: () => {},
    reset: () => {},
  }
  const servers = (): number => {
    calls.push('servers')
    return 2
  }
  const limiter = limiterOf({ store, onError: () => {}, onStoreFailure: localStore({ servers }) })
  expect(calls).toHaveLength(1)
  for (let request = 0; request < 3; request++) limiter.take({})
  expect(calls).toHaveLength(4)
})
