import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createPlanBook,
  type PlanChanges,
  type PlanDocument,
  pathText,
  planProblems,
  RailError,
} from '../../src/index.js'

const document: PlanDocument = {
  plans: {
    free: { limits: { per_second: 10 } },
    pro: { limits: { per_second: 50, burst_of: { tokens: 5, per: '10s' } } },
  },
  customers: { acme: { plan: 'pro', overrides: { burst_of: 9 } }, zeta: { plan: 'free' } },
  defaultPlan: 'free',
}

describe('a wrong document', () => {
  test.each<[string, unknown, string, RegExp]>([
    ['no document', null, 'the document', /got null/],
    ['no plans', {}, 'plans', /got undefined/],
    ['an unknown key', { plans: {}, custmers: {} }, 'custmers', /Did you mean "customers"\?/],
    ['an unknown key of a plan', { plans: { a: { limit: {} } } }, 'plans.a.limit', /Did you mean "limits"\?/],
    ['an unknown key of a limit', limit({ token: 1, per: '1s' }), 'plans.a.limits.l.token', /Did you mean "tokens"\?/],
    ['an unknown key of a customer', customer({ plam: 'a' }), 'customers.c.plam', /Did you mean "plan"\?/],
    [
      'an unknown key of an override',
      override({ tokens: 1, expiry: 1 }),
      'customers.c.overrides.per_second.expiry',
      /expires/,
    ],
    ['plans that are a list of names', { plans: ['a'] }, 'plans.0', /got "a"/],
    [
      'a plan twice',
      {
        plans: [
          ['a', {}],
          ['a', {}],
        ],
      },
      'plans.a',
      /twice/,
    ],
    ['a customer without a name', { plans: {}, customers: { '': {} } }, 'customers[""]', /got ""/],
    ['a limit of NaN', limits({ per_second: Number.NaN }), 'plans.a.limits.per_second', /got NaN/],
    [
      'a limit of null, which JSON writes for NaN',
      limits({ per_second: null }),
      'plans.a.limits.per_second',
      /got null/,
    ],
    ['a limit of 0', limits({ per_second: 0 }), 'plans.a.limits.per_second', /got 0/],
    ['a limit that is a string', limits({ per_second: '10' }), 'plans.a.limits.per_second', /got "10"/],
    ['a number without a window', limits({ mine: 5 }), 'plans.a.limits.mine', /got 5.*\{ tokens: 5, per: '10s' \}/],
    [
      'a number under a mistyped name',
      limits({ per_secnd: 5 }),
      'plans.a.limits.per_secnd',
      /Did you mean "per_second"\?/,
    ],
    ['a limit without a window', limit({ tokens: 5 }), 'plans.a.limits.l', /window/],
    ['a window that is none', limit({ tokens: 5, per: '10 parsecs' }), 'plans.a.limits.l', /10 parsecs/],
    [
      'a window that differs from the name’s',
      limits({ per_second: { tokens: 5, per: '10s' } }),
      'plans.a.limits.per_second',
      /got per "10s"/,
    ],
    [
      'a name in capitals',
      limits({ Per_Second: { tokens: 5, per: '1s' } }),
      'plans.a.limits.Per_Second',
      /"per_second"/,
    ],
    [
      'two names that differ in case',
      limits({ x: { tokens: 1, per: '1s' }, X: { tokens: 1, per: '1s' } }),
      'plans.a.limits.X',
      /got "x" twice/,
    ],
    [
      'a bucket too large to count',
      limits({ l: { tokens: 999_999_999_999_999, per: '11ms' } }),
      'plans.a.limits.l',
      /burst .*got 999999999999999/,
    ],
    [
      'a scope that sends a name of the plan',
      { plans: { a: { limits: { 'w.x': { tokens: 1, per: '1s' } }, scopes: { w: { x: { tokens: 1, per: '1s' } } } } } },
      'plans.a.scopes.w.x',
      /got "w.x" twice/,
    ],
    [
      'a default plan that is not there',
      { plans: { free: {} }, defaultPlan: 'fre' },
      'defaultPlan',
      /got "fre". Did you mean "free"\?/,
    ],
    ['a plan of a customer that is not there', customer({ plan: 'b' }), 'customers.c.plan', /got "b"/],
    ['a plan that is not a string', customer({ plan: 5 }), 'customers.c.plan', /got 5/],
    [
      'an override of what no plan has',
      { plans: { a: {} }, customers: { c: { overrides: { per_secnd: 1 } } } },
      'customers.c.overrides.per_secnd',
      /Did you mean "per_second"\?/,
    ],
    ['an override that is not a value', override('unlimited'), 'customers.c.overrides.per_second', /got "unlimited"/],
    ['an override of -1', override(-1), 'customers.c.overrides.per_second', /got -1/],
    [
      'an override without tokens',
      override({ expires: 5 }),
      'customers.c.overrides.per_second.tokens',
      /got undefined/,
    ],
    [
      'a burst without a number',
      override({ tokens: 'no-limit', burst: 5 }),
      'customers.c.overrides.per_second.burst',
      /got 5 and tokens "no-limit"/,
    ],
    ['a burst of 0', override({ tokens: 1, burst: 0 }), 'customers.c.overrides.per_second.burst', /got 0/],
    ['a burst of null', override({ tokens: 1, burst: null }), 'customers.c.overrides.per_second.burst', /got null/],
    [
      'an end without a zone',
      override({ tokens: 1, expires: '2026-12-01T00:00:00' }),
      'customers.c.overrides.per_second.expires',
      /got "2026/,
    ],
    [
      'an end without seconds',
      override({ tokens: 1, expires: '2026-12-01T00:00Z' }),
      'customers.c.overrides.per_second.expires',
      /got/,
    ],
    [
      'an end on a day that does not exist',
      override({ tokens: 1, expires: '2026-02-30T00:00:00Z' }),
      'customers.c.overrides.per_second.expires',
      /got "2026/,
    ],
    [
      'a reason that is a number',
      override({ tokens: 1, reason: 5 }),
      'customers.c.overrides.per_second.reason',
      /got 5/,
    ],
    [
      'two plans whose limits an override cannot distinguish',
      {
        plans: {
          a: { limits: { 'w.x': { tokens: 1, per: '1s' } } },
          b: { scopes: { w: { x: { tokens: 1, per: '1s' } } } },
        },
        customers: { c: {} },
      },
      'plans.b.scopes.w.x',
      /"w.x"/,
    ],
    ['a default plan of null', { plans: {}, defaultPlan: null }, 'defaultPlan', /got null/],
    ['servers that are none', { plans: {}, servers: { split: 0 } }, 'servers', /got an object/],
    ['servers with more to it', { plans: {}, servers: { split: 2, of: 3 } }, 'servers', /got an object/],
  ])('%s is refused at its path', (_, wrong, path, detail) => {
    const problems = planProblems(wrong).map((problem) => ({ ...problem, path: pathText(problem.path) }))
    expect(problems).toContainEqual({ path, message: expect.stringMatching(detail) })
    expect(() => createPlanBook(wrong as PlanDocument)).toThrow(expect.objectContaining({ code: 'RAIL_BAD_PLAN' }))
  })

  test('a problem has what was expected, what came and what to do', () => {
    expect(planProblems(limits({ per_second: null }))[0]?.message).toBe(
      'expected a number of tokens or { tokens, per }, got null. Leave it out for no such limit.',
    )
  })

  test('all problems are reported at once, and a long list is cut', () => {
    const customers = Object.fromEntries(Array.from({ length: 200 }, (__, index) => [`c${index}`, { plan: 'none' }]))
    expect(planProblems({ plans: {}, customers })).toHaveLength(100)
    expect(() => createPlanBook({ plans: {}, customers })).toThrow(/customers.c4.plan: .*\n… and 195 more\./)
  })

  test('a document without problems gives an empty list', () => {
    expect(planProblems(document)).toEqual([])
  })
})

describe('update', () => {
  const fresh = (): ReturnType<typeof createPlanBook> => createPlanBook(document)
  const everything = (book: ReturnType<typeof createPlanBook>): unknown =>
    ['acme', 'zeta', 'new', 'an unlisted customer'].map((customer) => book.explain(customer))

  test.each<[string, PlanChanges]>([
    ['a plan that customers are on is removed', { removedPlans: ['pro'] }],
    ['the default plan is removed', { removedPlans: ['free'], customers: { zeta: { plan: 'pro' } } }],
    ['the last plan with an overridden limit loses it', { plans: { pro: { limits: { per_second: 1 } } } }],
    [
      'an override becomes too large for a changed window',
      { plans: { pro: { limits: { burst_of: { tokens: 1, per: 31_536_000_000_001, burst: 285 } } } } },
    ],
    [
      'the second of two customers is wrong',
      { customers: { new: { plan: 'pro' }, zeta: { plan: 'none' } }, removedCustomers: ['acme'] },
    ],
    ['the number of servers is wrong', { plans: { free: {} }, servers: { split: 1.5 } }],
    ['removed customers are not a list', { defaultPlan: null, removedCustomers: 'acme' as never }],
  ])('changes nothing when %s', (_, changes) => {
    const book = fresh()
    const before = everything(book)
    expect(() => book.update(changes)).toThrow(RailError)
    expect(everything(book)).toEqual(before)
  })

  test('sets and removes', () => {
    const book = fresh()
    book.update({
      plans: { max: { limits: { per_second: 99 } } },
      customers: { new: { plan: 'max' } },
      removedCustomers: ['zeta', 'never there'],
      defaultPlan: null,
    })
    expect(book.limitsFor('new', '')[0]?.tokens).toBe(99)
    expect(book.has('zeta')).toBe(false)
    expect(book.limitsFor('zeta', '')).toEqual([])
  })

  test('a plan may go together with its last customer, or while its customers move', () => {
    const book = fresh()
    book.update({ removedPlans: ['pro'], removedCustomers: ['acme'] })
    expect(book.explain('acme')).toMatchObject({ listed: false, planFrom: 'default' })
    const other = fresh()
    other.update({ removedPlans: ['pro'], customers: { acme: {} } })
    expect(other.explain('acme')).toMatchObject({ listed: true, plan: 'free', planFrom: 'default' })
  })

  test('an override follows its changed plan', () => {
    const book = fresh()
    book.update({ plans: { pro: { limits: { burst_of: { tokens: 3, per: '5s', burst: 6 } } } } })
    expect(book.limitsFor('acme', '')[0]).toMatchObject({ name: 'burst_of', tokens: 9, windowMs: 5_000, burst: 18 })
  })

  test('changing the given objects later changes nothing', () => {
    const overrides = { burst_of: { tokens: 9 } }
    const book = createPlanBook({ ...document, customers: { acme: { plan: 'pro', overrides } } })
    overrides.burst_of.tokens = -1
    book.update({ plans: { pro: { limits: { burst_of: { tokens: 3, per: '5s' } } } } })
    expect(book.limitsFor('acme', '')[0]?.tokens).toBe(9)
  })

  test('any changes have the result of a new book of the changed document', () => {
    const name = fc.constantFrom('a', 'b', 'c')
    const plan = fc.record({
      limits: fc.record(
        { per_second: fc.integer({ min: 1, max: 9 }), per_hour: fc.integer({ min: 1, max: 9 }) },
        { requiredKeys: [] },
      ),
    })
    const customer = fc.record(
      {
        plan: name,
        overrides: fc.dictionary(
          fc.constantFrom('per_second', 'per_minute'),
          fc.constantFrom(5, 'no-limit', 'inherit'),
        ),
      },
      { requiredKeys: [] },
    )
    const changes = fc.record(
      {
        plans: fc.dictionary(name, plan),
        removedPlans: fc.uniqueArray(name),
        customers: fc.dictionary(name, customer),
        removedCustomers: fc.uniqueArray(name),
        defaultPlan: fc.option(name),
        servers: fc.constantFrom<PlanDocument['servers']>('each', { split: 3 }),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.array(changes, { maxLength: 8 }), (steps) => {
        const book = createPlanBook({ plans: {} })
        let model = { plans: {}, customers: {}, defaultPlan: undefined, servers: 'each' } as Record<string, unknown>
        for (const step of steps) {
          const after = {
            plans: { ...without(model.plans, step.removedPlans), ...step.plans },
            customers: { ...without(model.customers, step.removedCustomers), ...step.customers },
            defaultPlan: step.defaultPlan === undefined ? model.defaultPlan : (step.defaultPlan ?? undefined),
            servers: step.servers ?? model.servers,
          }
          const sound = planProblems(after).length === 0
          if (sound) {
            book.update(step as PlanChanges)
            model = after
          } else {
            expect(() => book.update(step as PlanChanges)).toThrow(RailError)
          }
          const other = createPlanBook(model as unknown as PlanDocument)
          for (const key of ['a', 'b', 'c', 'd']) {
            expect(book.limitsFor(key, '')).toEqual(other.limitsFor(key, ''))
            expect(book.explain(key)).toEqual(other.explain(key))
          }
        }
      }),
    )
  })
})

describe('explain', () => {
  test('gives the rule that sets each limit, with the whole limit and the share', () => {
    const overrides = {
      per_second: { tokens: 80, reason: 'launch', author: 'kim', expires: 4_000_000_000_000 },
      per_minute: 'no-limit',
      per_day: { tokens: 5, expires: 0 },
      'w.per_hour': 'inherit',
    } as const
    const book = createPlanBook({
      plans: { pro: { limits: { per_second: 50, per_minute: 100 }, scopes: { w: { per_hour: 6 } } } },
      customers: { acme: { overrides } },
      defaultPlan: 'pro',
      servers: { split: 2 },
    })
    const { limits, ...rest } = book.explain('acme')
    expect(rest).toEqual({
      customer: 'acme',
      listed: true,
      plan: 'pro',
      planFrom: 'default',
      split: 2,
      idle: [
        { name: 'per_day', override: overrides.per_day, why: 'ended' },
        { name: 'w.per_hour', override: { tokens: 'inherit' }, why: 'inherits' },
      ],
    })
    const short = limits.map(({ name, rule, limit: whole, enforced, override }) => [
      name,
      rule,
      whole?.tokens,
      enforced?.tokens,
      override,
    ])
    expect(short).toEqual([
      ['per_second', 'override', 80, 40, overrides.per_second],
      ['per_minute', 'override', undefined, undefined, { tokens: 'no-limit' }],
      ['w.per_hour', 'default plan', 6, 3, undefined],
    ])
  })

  test('without a default plan, a customer who is not listed has no plan and no limits', () => {
    expect(createPlanBook({ plans: {} }).explain('x')).toEqual({
      customer: 'x',
      listed: false,
      plan: undefined,
      planFrom: 'none',
      split: 1,
      limits: [],
      idle: [],
    })
  })
})

function limits(given: object): object {
  return { plans: { a: { limits: given } } }
}

function limit(given: object): object {
  return limits({ l: given })
}

function customer(given: object): object {
  return { plans: { a: {} }, customers: { c: given } }
}

function override(given: unknown): object {
  return { plans: { a: {} }, customers: { c: { plan: 'a', overrides: { per_second: given } } } }
}

function without(all: unknown, names: readonly string[] = []): object {
  return Object.fromEntries(Object.entries(all as object).filter(([name]) => !names.includes(name)))
}
