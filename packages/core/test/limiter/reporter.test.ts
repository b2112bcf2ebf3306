import { describe, expect, test } from 'vitest'
import { type Charge, type Limit, limit, MemoryStore, perMinute, perSecond, RailError } from '../../src/index.js'
import { createReporter } from '../../src/limiter/reporter.js'

function reporterOf() {
  const errors: RailError[] = []
  const reporter = createReporter((error) => errors.push(error as RailError))
  const told = () => errors.map(({ code, count }) => [code, count])
  return { ...reporter, errors, told }
}

describe('a failing store', () => {
  test('is told at once, then at most once a second, with how many failures it stands for', () => {
    const { storeFailed, errors } = reporterOf()
    const gone = new Error('gone')
    for (const now of [5_000, 5_000, 5_999]) storeFailed('take', gone, now)
    expect(errors.map((error) => error.count)).toEqual([1])
    storeFailed('take', gone, 6_000)
    expect(errors.map((error) => error.count)).toEqual([1, 3])
    expect(errors[0]?.message).toBe('The store failed to take. See that it can be reached; it said: gone')
    expect(errors[1]?.message).toBe(
      'The store failed to take, 3 times since the last word of it. See that it can be reached; it said: gone',
    )
    expect(errors[1]?.cause).toBe(gone)
    // What was told is not counted again.
    storeFailed('take', gone, 7_000)
    expect(errors[2]?.count).toBe(1)
  })

  test('is told again when the clock has stepped back', () => {
    const { storeFailed, told } = reporterOf()
    for (const now of [5_000, 4_999]) storeFailed('take', new Error('gone'), now)
    expect(told()).toHaveLength(2)
  })

  test('is told by kind: what was asked of it, and what it says', () => {
    const { storeFailed, errors } = reporterOf()
    for (let round = 0; round < 3; round++) {
      storeFailed('take', new Error('gone'), 0)
      storeFailed('settle', new Error('gone'), 0)
      storeFailed('take', new Error('slow'), 0)
      storeFailed('take', 'a text', 0)
    }
    expect(errors.map((error) => error.message)).toEqual([
      'The store failed to take. See that it can be reached; it said: gone',
      'The store failed to settle. See that it can be reached; it said: gone',
      'The store failed to take. See that it can be reached; it said: slow',
      'The store failed to take. See that it can be reached; it said: "a text"',
    ])
  })

  test('that says something else each time is told by 16 kinds and one for the rest', () => {
    const { storeFailed, errors } = reporterOf()
    for (let index = 0; index < 100; index++) storeFailed('take', new Error(`gone ${index}`), 0)
    expect(errors).toHaveLength(17)
    storeFailed('take', new Error('gone 3'), 1_000)
    storeFailed('take', new Error('gone 99'), 1_000)
    expect(errors.slice(17).map((error) => error.count)).toEqual([1, 84])
  })
})

describe('a cost that never fits', () => {
  const ask = (limits: readonly Limit[], cost: number, scope = '') =>
    new MemoryStore().take([{ scope, key: 'acme', limits, cost }], 0)

  test('is told once for each limit that it does not fit, by the name that is sent, and of no other', () => {
    const { look, errors, told } = reporterOf()
    const empty = new MemoryStore()
    const charge: Charge = { key: 'acme', limits: [perMinute(5)], cost: 5 }
    empty.take([charge], 0)
    // per_minute refuses too, but would let it in later.
    look(empty.take([{ ...charge, limits: [perMinute(5), perSecond(4)] }], 0))
    expect(errors.map((error) => error.message)).toEqual([
      'A cost of 5 can never fit limit "per_second", whose burst is 4. Raise the burst, or ask for less at once.',
    ])
    look(ask([perSecond(4)], 9))
    expect(told()).toHaveLength(1)
    look(ask([perSecond(4)], 9, 'writes'))
    expect(errors[1]?.message).toContain('"writes.per_second"')
    look(ask([perSecond(4)], 4))
    expect(told()).toEqual([
      ['RAIL_NEVER_FITS', 1],
      ['RAIL_NEVER_FITS', 1],
    ])
  })

  test('is told of at most 1,000 limits, so that nothing grows', () => {
    const { look, errors } = reporterOf()
    for (let index = 0; index < 1_100; index++) look(ask([limit({ name: `l${index}`, tokens: 1, per: '1s' })], 2))
    expect(errors).toHaveLength(1_000)
  })
})

test('nobody needs to be told', () => {
  const reporter = createReporter(undefined)
  expect(() => reporter.tell(new RailError('RAIL_BAD_KEY', 'x'))).not.toThrow()
  expect(() => reporter.storeFailed('take', undefined, 0)).not.toThrow()
})
