import { type Plan, type PlanCustomer, type PlanDocument, planProblems } from '@rail/core'
import fc from 'fast-check'
import { describe, expect, expectTypeOf, test } from 'vitest'
import type { z } from 'zod'
import { type customer, type plan, planDocumentSchema, planFileSchema } from '../../src/base/plan-schema.js'

test("the types of the schema are core's", () => {
  expectTypeOf<z.infer<typeof planDocumentSchema>>().toExtend<PlanDocument & { $schema?: string | undefined }>()
  expectTypeOf<z.infer<typeof plan>>().toExtend<Plan>()
  expectTypeOf<z.infer<typeof customer>>().toExtend<PlanCustomer>()
})

describe('the schema and core agree', () => {
  /** Mostly what is right, and now and then what may not be. */
  const mixed = (good: fc.Arbitrary<unknown>, odd: unknown[] = []): fc.Arbitrary<unknown> =>
    fc.oneof(
      { weight: 99, arbitrary: good },
      { weight: 1, arbitrary: fc.constantFrom(null, 0, -1, 1.5, '', {}, true, ...odd) },
    )
  const some = (model: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> =>
    fc.oneof(
      { weight: 99, arbitrary: fc.record(model, { requiredKeys: Object.keys(model).slice(0, 2) }) },
      { weight: 1, arbitrary: fc.record({ ...model, mistyped: fc.constant(1) }, { requiredKeys: ['mistyped'] }) },
    )
  const byName = (names: string[], value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
    mixed(fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 2 }))
  const tokens = mixed(fc.constantFrom(1, 10, 1_000), [999_999_999_999_999, 1e15])
  const per = mixed(fc.constantFrom('10s', '1.5 h', '5ms', '1 d', 1_000), [
    '10',
    '-1s',
    '1s ',
    '1e3s',
    '10w',
    '0.0001s',
  ])
  const limit = some({ tokens, per, burst: tokens, counts: mixed(fc.constantFrom('cost', 'requests')) })
  const limits = fc.oneof(byName(['per_second', 'per_minute'], tokens), byName(['x', 'y'], limit))
  const plans = fc.record({
    a: some({ limits, scopes: byName(['v', 'w'], limits) }),
    b: some({ limits, scopes: byName(['w'], limits) }),
  })
  const value = mixed(fc.constantFrom<unknown>('inherit', 'no-limit', 5))
  const expires = mixed(
    fc.constantFrom<unknown>(
      0,
      1e12,
      '2026-12-01T00:00:00Z',
      '2026-12-01T00:00:00+01:00',
      '2026-12-01T00:00:00.123-11:30',
    ),
    [
      '2026-12-01',
      '2026-12-01T00:00Z',
      '2026-12-01T24:00:00Z',
      '2026-12-01T00:00:00',
      '2026-02-30T00:00:00Z',
      '2026-12-01 00:00:00Z',
    ],
  )
  const text = mixed(fc.string())
  const override = mixed(some({ tokens: mixed(fc.constant(5)), expires, burst: tokens, reason: text, author: text }))
  const overrides = byName(['per_second', 'per_day'], fc.oneof(value, override))
  const customers = byName(
    ['c', '7', 'constructor'],
    some({ plan: mixed(fc.constantFrom('a', 'b'), ['c']), overrides }),
  )
  const servers = mixed(fc.constantFrom<unknown>('each', { split: 4 }), [{ split: 0 }, 'split', { split: 2, of: 3 }])
  const document = some({
    plans: mixed(plans),
    customers,
    defaultPlan: mixed(fc.constantFrom('a', 'b'), ['c']),
    servers,
  })

  test('the schema accepts every document that core accepts', () => {
    const seen = { taken: 0, refused: 0 }
    fc.assert(
      fc.property(document, (said) => {
        const taken = planProblems(said).length === 0
        seen[taken ? 'taken' : 'refused'] += 1
        if (taken) expect(planDocumentSchema.safeParse(said).error).toBeUndefined()
      }),
      { numRuns: 1_000 },
    )
    expect(seen.taken).toBeGreaterThan(100)
    expect(seen.refused).toBeGreaterThan(100)
  })

  test.each([
    ['null for a limit', { plans: { a: { limits: { per_second: null } } } }],
    ['an unknown key', { plans: {}, plan: {} }],
    ['an unknown key of a plan', { plans: { a: { limit: {} } } }],
    ['an unknown key of a limit', { plans: { a: { limits: { per_second: { tokens: 1, brust: 2 } } } } }],
    ['an unknown key of a customer', { plans: {}, customers: { c: { plans: 'a' } } }],
    [
      'an unknown key of an override',
      { plans: {}, customers: { c: { overrides: { per_second: { tokens: 1, till: 5 } } } } },
    ],
    ['-1 for no limit', { plans: {}, customers: { c: { overrides: { per_second: -1 } } } }],
    ['part of a server', { plans: {}, servers: { split: 1.5 } }],
    ['no plans', {}],
  ])('both refuse %s', (_, said) => {
    expect(planDocumentSchema.safeParse(said).success).toBe(false)
    expect(planProblems(said)).not.toEqual([])
  })
})

test('the JSON Schema has every key of the format with a description, and allows no other', () => {
  const schema = JSON.stringify(planFileSchema())
  for (const name of [
    '$schema',
    'plans',
    'customers',
    'defaultPlan',
    'servers',
    'limits',
    'scopes',
    'tokens',
    'per',
    'burst',
    'counts',
    'overrides',
    'expires',
    'reason',
    'author',
    'split',
  ]) {
    expect(schema).toContain(`"${name}":{`)
  }
  expect(schema.match(/"additionalProperties":false/g)).toHaveLength(6)
})
