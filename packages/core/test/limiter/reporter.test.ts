import { describe, expect, test } from 'vitest'
import { type Charge, type Limit, limit, MemoryStore, perMinute, perSecond, RailError } from '../../src/index.js'
import { createReporter } from '../../src/limiter/reporter.js'

function reporterOf() {
  const errors: RailError[] = []
  const reporter = createReporter((error) => errors.push(error as RailError))
  const reported = () => errors.map(({ code, count }) => [code, count])
  return { ...reporter, errors, reported }
}

describe('a failing store', () => {
  test('is reported at once, then at most once a second, with the number of failures and the latest cause', () => {
    const { storeFailed, errors } = reporterOf()
    const gone = new Error('gone')
    for (const now of [5_000, 5_000, 5_999]) storeFailed('take', gone, now)
    expect(errors.map((error) => error.count)).toEqual([1])
    storeFailed('take', gone, 6_000)
    expect(errors.map((error) => error.count)).toEqual([1, 3])
    expect(errors[0]?.message).toBe('store: take() failed: gone')
    expect(errors[1]?.message).toBe('store: take() failed 3 times since the last report, most recently: gone')
    expect(errors[1]?.cause).toBe(gone)
    // A failure is counted in one report only.
    storeFailed('take', gone, 7_000)
    expect(errors[2]?.count).toBe(1)
  })

  test('is reported again when the clock has stepped back', () => {
    const { storeFailed, reported } = reporterOf()
    for (const now of [5_000, 4_999]) storeFailed('take', new Error('gone'), now)
    expect(reported()).toHaveLength(2)
  })

  test('is reported with its latest cause, whatever failed, an error or not', () => {
    const { storeFailed, errors } = reporterOf()
    storeFailed('take', new Error('gone'), 0)
    storeFailed('take', new Error('slow'), 0)
    storeFailed('settle', 'a string', 1_000)
    expect(errors.map(({ message, count, cause }) => [message, count, cause])).toEqual([
      ['store: take() failed: gone', 1, expect.any(Error)],
      ['store: settle() failed 2 times since the last report, most recently: "a string"', 2, 'a string'],
    ])
  })
})

describe('a cost that never fits', () => {
  const take = (limits: readonly Limit[], cost: number, scope = '') =>
    new MemoryStore().take([{ scope, key: 'acme', limits, cost }], 0)

  test('is reported once for each limit that it does not fit, by the name that is sent, and for no other', () => {
    const { warnIfNeverFits, errors, reported } = reporterOf()
    const empty = new MemoryStore()
    const charge: Charge = { key: 'acme', limits: [perMinute(5)], cost: 5 }
    empty.take([charge], 0)
    // per_minute refuses too, but would allow it later.
    warnIfNeverFits(empty.take([{ ...charge, limits: [perMinute(5), perSecond(4)] }], 0))
    expect(errors.map((error) => error.message)).toEqual([
      'cost: expected at most 4, the burst of limit "per_second", got 5. Raise the burst, or take less at once.',
    ])
    warnIfNeverFits(take([perSecond(4)], 9))
    expect(reported()).toHaveLength(1)
    warnIfNeverFits(take([perSecond(4)], 9, 'writes'))
    expect(errors[1]?.message).toContain('"writes.per_second"')
    warnIfNeverFits(take([perSecond(4)], 4))
    expect(reported()).toEqual([
      ['RAIL_NEVER_FITS', 1],
      ['RAIL_NEVER_FITS', 1],
    ])
  })

  test('is reported for at most 1,000 limits, so that nothing grows', () => {
    const { warnIfNeverFits, errors } = reporterOf()
    for (let index = 0; index < 1_100; index++)
      warnIfNeverFits(take([limit({ name: `l${index}`, tokens: 1, per: '1s' })], 2))
    expect(errors).toHaveLength(1_000)
  })
})

test('a hook is not required', () => {
  const reporter = createReporter(undefined)
  expect(() => reporter.report(new RailError('RAIL_BAD_KEY', 'x'))).not.toThrow()
  expect(() => reporter.storeFailed('take', undefined, 0)).not.toThrow()
})
