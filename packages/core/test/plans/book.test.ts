import { describe, expect, test } from 'vitest'
import { createPlanBook, manualClock, type PlanCustomer, type PlanDocument, RailError, share } from '../../src/index.js'

const document = {
  plans: {
    free: { limits: { per_second: 10, per_minute: 300 } },
    pro: {
      limits: { per_second: { tokens: 50, burst: 100 }, model_tokens: { tokens: 90_000, per: '1m' } },
      scopes: { writes: { per_minute: 60 } },
    },
  },
  customers: { acme: { plan: 'pro' }, zeta: {} },
  defaultPlan: 'free',
} satisfies PlanDocument

/** Limits in short: `per_second 10/1000`, with the burst if it differs. */
function inShort(limits: readonly { name: string; tokens: number; windowMs: number; burst: number }[]): string[] {
  return limits.map(
    ({ name, tokens, windowMs, burst }) => `${name} ${tokens}/${windowMs}${burst === tokens ? '' : ` burst ${burst}`}`,
  )
}

const overriding = (overrides: PlanCustomer['overrides']): PlanDocument => ({
  ...document,
  customers: { acme: { plan: 'pro', overrides } },
})

describe('the limits of a customer', () => {
  test('a customer has the limits of their plan', () => {
    expect(inShort(createPlanBook(document).limitsFor('acme', ''))).toEqual([
      'per_second 50/1000 burst 100',
      'model_tokens 90000/60000',
    ])
  })

  test('a customer without a plan has those of the default plan, listed or not', () => {
    const book = createPlanBook(document)
    expect(inShort(book.limitsFor('zeta', ''))).toEqual(['per_second 10/1000', 'per_minute 300/60000'])
    expect(book.limitsFor('an unlisted customer', '')).toEqual(book.limitsFor('zeta', ''))
    expect([book.has('zeta'), book.has('an unlisted customer')]).toEqual([true, false])
  })

  test('without a default plan, a customer without a plan has no limit', () => {
    const book = createPlanBook({ ...document, defaultPlan: undefined })
    expect(book.limitsFor('zeta', '')).toEqual([])
    expect(book.limitsFor('an unlisted customer', '')).toEqual([])
  })

  test('a limit that is left out is not enforced', () => {
    const book = createPlanBook({ plans: { slow: { limits: { per_minute: 5 } }, none: {} }, defaultPlan: 'slow' })
    expect(inShort(book.limitsFor('acme', ''))).toEqual(['per_minute 5/60000'])
    book.update({ defaultPlan: 'none' })
    expect(book.limitsFor('acme', '')).toEqual([])
  })

  test('any string is a key, the names of object members too', () => {
    const keys = ['__proto__', 'constructor', 'toString', '👩‍🚀', 'a\nb', 'x'.repeat(10_000)]
    const customers = keys.map((key): [string, PlanCustomer] => [key, { plan: 'pro' }])
    for (const one of [customers, new Map(customers), JSON.parse(JSON.stringify(Object.fromEntries(customers)))]) {
      const book = createPlanBook({ ...document, customers: one })
      for (const key of keys) expect(book.limitsFor(key, '')).toHaveLength(2)
      expect(book.has('hasOwnProperty')).toBe(false)
    }
  })
})

describe('the array', () => {
  test('is the same, and frozen, until something changes', () => {
    const book = createPlanBook(overriding({ per_second: 70 }))
    const before = book.limitsFor('acme', '')
    expect(book.limitsFor('acme', '')).toBe(before)
    expect(Object.isFrozen(before)).toBe(true)
    book.update({ customers: { other: { plan: 'free' } } })
    expect(book.limitsFor('acme', '')).toBe(before)
    book.update({ servers: 'each' })
    expect(book.limitsFor('acme', '')).toBe(before)
    book.update({ plans: { free: {} } })
    expect(book.limitsFor('acme', '')).not.toBe(before)
  })

  test('is one for all customers of a plan', () => {
    const book = createPlanBook({ ...document, customers: { a: { plan: 'pro' }, b: { plan: 'pro' } } })
    expect(book.limitsFor('a', '')).toBe(book.limitsFor('b', ''))
  })
})

describe('scopes', () => {
  test('a scope has limits of its own', () => {
    expect(inShort(createPlanBook(document).limitsFor('acme', 'writes'))).toEqual(['per_minute 60/60000'])
  })

  test('a plan without a scope that another plan has adds no limit to it', () => {
    const book = createPlanBook(document)
    expect(book.limitsFor('zeta', 'writes')).toEqual([])
    expect(book.limitsFor('zeta', 'writes')).toBe(book.limitsFor('an unlisted customer', 'writes'))
  })

  test('a scope that no plan has is an error, with a suggestion', () => {
    const book = createPlanBook(document)
    expect(() => book.limitsFor('zeta', 'wriets')).toThrow(
      expect.objectContaining({
        code: 'RAIL_UNKNOWN_SCOPE',
        message:
          'scope: expected a scope of a plan (writes), got "wriets". Did you mean "writes"? A scope without limits is {} in a plan.',
      }),
    )
    expect(() => book.limitsFor('zeta', '__proto__')).toThrow(RailError)
    expect([book.hasScope(''), book.hasScope('writes'), book.hasScope('wriets')]).toEqual([true, true, false])
  })
})

describe('overrides', () => {
  test.each<[string, PlanCustomer['overrides'], string[]]>([
    ['a number', { per_second: 80 }, ['per_second 80/1000 burst 160', 'model_tokens 90000/60000']],
    [
      'a number and a burst',
      { per_second: { tokens: 80, burst: 80 } },
      ['per_second 80/1000', 'model_tokens 90000/60000'],
    ],
    ['no limit', { per_second: 'no-limit' }, ['model_tokens 90000/60000']],
    ['inherit', { per_second: 'inherit' }, ['per_second 50/1000 burst 100', 'model_tokens 90000/60000']],
    ['a general limit keeps its window', { model_tokens: 5 }, ['per_second 50/1000 burst 100', 'model_tokens 5/60000']],
    [
      'a name that contains its window need not be in the plan',
      { per_day: 1_000 },
      ['per_second 50/1000 burst 100', 'model_tokens 90000/60000', 'per_day 1000/86400000'],
    ],
  ])('%s', (_, overrides, expected) => {
    expect(inShort(createPlanBook(overriding(overrides)).limitsFor('acme', ''))).toEqual(expected)
  })

  test('a burst grows in proportion, rounded up', () => {
    const plans = { pro: { limits: { per_second: { tokens: 3, burst: 10 } } } }
    const book = createPlanBook({ plans, customers: { acme: { plan: 'pro', overrides: { per_second: 1 } } } })
    expect(inShort(book.limitsFor('acme', ''))).toEqual(['per_second 1/1000 burst 4'])
  })

  test('an override keeps what a limit counts', () => {
    const plans = { pro: { limits: { per_second: { tokens: 3, counts: 'requests' } } } } as const
    const book = createPlanBook({ plans, customers: { acme: { plan: 'pro', overrides: { per_second: 9 } } } })
    expect(book.limitsFor('acme', '')[0]).toMatchObject({ tokens: 9, counts: 'requests' })
  })

  test('a scope has overrides by the name that is sent, and may get its first limit from one', () => {
    const book = createPlanBook(overriding({ 'writes.per_minute': 'no-limit', 'writes.per_hour': 5 }))
    expect(inShort(book.limitsFor('acme', 'writes'))).toEqual(['per_hour 5/3600000'])
    expect(inShort(book.limitsFor('acme', ''))).toHaveLength(2)
  })

  test('an override of a limit that another plan has does nothing until the plan has it', () => {
    const book = createPlanBook({ ...document, customers: { zeta: { overrides: { model_tokens: 7 } } } })
    expect(inShort(book.limitsFor('zeta', ''))).toEqual(['per_second 10/1000', 'per_minute 300/60000'])
    expect(book.explain('zeta').idle).toEqual([
      { name: 'model_tokens', override: { tokens: 7 }, why: 'not in the plan' },
    ])
    book.update({ customers: { zeta: { plan: 'pro', overrides: { model_tokens: 7 } } } })
    expect(inShort(book.limitsFor('zeta', ''))).toContain('model_tokens 7/60000')
  })
})

describe('the end of an override', () => {
  const end = Date.parse('2026-12-01T00:00:00Z')

  test.each([end, '2026-12-01T00:00:00Z', '2026-12-01T01:00:00+01:00', '2026-12-01T00:00:00.000Z'])('%s', (expires) => {
    const clock = manualClock(end - 1)
    const book = createPlanBook(overriding({ model_tokens: { tokens: 7, expires } }), { clock })
    const before = book.limitsFor('acme', '')
    expect(inShort(before)).toContain('model_tokens 7/60000')
    clock.advance(1)
    const after = book.limitsFor('acme', '')
    expect(inShort(after)).toContain('model_tokens 90000/60000')
    expect(book.limitsFor('acme', '')).toBe(after)
  })

  test('a clock that is set back puts it in force again', () => {
    const clock = manualClock(end)
    const book = createPlanBook(overriding({ per_second: { tokens: 7, burst: 7, expires: end } }), { clock })
    expect(inShort(book.limitsFor('acme', ''))).toContain('per_second 50/1000 burst 100')
    clock.advance(-1)
    expect(inShort(book.limitsFor('acme', ''))).toContain('per_second 7/1000')
  })

  test('of several, each ends by itself', () => {
    const clock = manualClock(0)
    const overrides = { per_second: { tokens: 1, burst: 1, expires: 100 }, model_tokens: { tokens: 2, expires: 200 } }
    const book = createPlanBook(overriding(overrides), { clock })
    const at = (now: number): string[] => {
      clock.set(now)
      return inShort(book.limitsFor('acme', ''))
    }
    expect(at(99)).toEqual(['per_second 1/1000', 'model_tokens 2/60000'])
    expect(at(100)).toEqual(['per_second 50/1000 burst 100', 'model_tokens 2/60000'])
    expect(at(200)).toEqual(['per_second 50/1000 burst 100', 'model_tokens 90000/60000'])
  })

  test('is compared with Date.now by default', () => {
    const book = createPlanBook(overriding({ model_tokens: { tokens: 7, expires: Date.now() + 3_600_000 } }))
    expect(inShort(book.limitsFor('acme', ''))).toContain('model_tokens 7/60000')
    book.update({
      customers: { acme: { plan: 'pro', overrides: { model_tokens: { tokens: 7, expires: Date.now() } } } },
    })
    expect(inShort(book.limitsFor('acme', ''))).toContain('model_tokens 90000/60000')
  })
})

describe('split over servers', () => {
  test('each limit is a share that remembers the whole', () => {
    const [whole] = createPlanBook(document).limitsFor('zeta', '')
    const book = createPlanBook({ ...document, servers: { split: 4 } })
    expect(inShort(book.limitsFor('zeta', ''))).toEqual(['per_second 3/1000', 'per_minute 75/60000'])
    expect(book.limitsFor('zeta', '')[0]).toEqual(share(whole as NonNullable<typeof whole>, 4))
    expect(inShort(book.limitsFor('acme', 'writes'))).toEqual(['per_minute 15/60000'])
  })

  test('is not for a store that several servers share: it counts whole limits, overrides and scopes too', () => {
    const overrides = { per_second: { tokens: 80, burst: 80 } }
    const book = createPlanBook({ ...overriding(overrides), servers: { split: 4 } })
    const each = createPlanBook(overriding(overrides))
    for (const [key, scope] of [
      ['acme', ''],
      ['acme', 'writes'],
      ['zeta', ''],
    ] as const) {
      expect(book.limitsFor(key, scope, true)).toEqual(each.limitsFor(key, scope))
      expect(book.limitsFor(key, scope, true)).toBe(book.limitsFor(key, scope, true))
      expect(book.limitsFor(key, scope, false)).toEqual(book.limitsFor(key, scope))
      expect(Object.isFrozen(book.limitsFor(key, scope, true))).toBe(true)
    }
    expect(inShort(book.limitsFor('acme', '', true))).toContain('per_second 80/1000')
  })

  test('says over how many, for a local store: no number where each server enforces whole limits', () => {
    const book = createPlanBook({ ...document, servers: { split: 4 } })
    expect(book.servers()).toBe(4)
    book.update({ servers: 'each' })
    expect(book.servers()).toBe(undefined)
  })

  test('another number of servers makes other shares, of overrides too', () => {
    const book = createPlanBook({ ...overriding({ per_second: { tokens: 80, burst: 80 } }), servers: { split: 4 } })
    expect(inShort(book.limitsFor('acme', ''))).toContain('per_second 20/1000')
    book.update({ servers: { split: 5 } })
    expect(inShort(book.limitsFor('acme', ''))).toContain('per_second 16/1000')
    const before = book.limitsFor('acme', '')
    book.update({ servers: { split: 5 } })
    expect(book.limitsFor('acme', '')).toBe(before)
    book.update({ servers: 'each' })
    expect(inShort(book.limitsFor('acme', ''))).toContain('per_second 80/1000')
  })
})
