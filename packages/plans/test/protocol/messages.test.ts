import { describe, expect, test } from 'vitest'
import { applyChanges } from '../../src/protocol/apply-changes.js'
import { type SyncDocument, syncRequestSchema, syncResponseSchema } from '../../src/protocol/messages.js'

const request = {
  v: 1,
  sdk: '@rail/plans/1.0.0',
  instance: 'a-random-text',
  host: 'api-1',
  pid: 7,
  startedAt: 1,
  source: 'live',
}
const answer = { v: 1, epoch: 'e1', rev: 3, setting: 'each', servers: 2, nextSyncMs: 15_000, serverTime: 5 }

describe('the sync protocol', () => {
  test('a first request has nothing and reports nothing', () => {
    expect(syncRequestSchema.safeParse(request).success).toBe(true)
  })

  test('a request with a report', () => {
    const report = {
      seq: 1,
      lengthMs: 15_000,
      usage: [['acme', 10, 2, 12, [['per_second', 2]]]],
      unknown: ['new'],
      dropped: 0,
    }
    expect(syncRequestSchema.safeParse({ ...request, have: { epoch: 'e1', rev: 3 }, servers: 2, report }).success).toBe(
      true,
    )
    expect(syncRequestSchema.safeParse({ ...request, report: { ...report, seq: 0 } }).success).toBe(false)
    expect(
      syncRequestSchema.safeParse({ ...request, report: { ...report, usage: [['acme', -1, 0, 0, []]] } }).success,
    ).toBe(false)
  })

  test('a newer side may add members to a message', () => {
    expect(syncRequestSchema.safeParse({ ...request, region: 'eu' }).success).toBe(true)
    expect(syncResponseSchema.safeParse({ ...answer, kind: 'unchanged', notice: 'x' }).success).toBe(true)
  })

  test('another version is refused', () => {
    expect(syncRequestSchema.safeParse({ ...request, v: 2 }).success).toBe(false)
    expect(syncResponseSchema.safeParse({ ...answer, v: 2, kind: 'unchanged' }).success).toBe(false)
  })

  test('a limit of NaN, and so of null, is refused and does not mean no limit', () => {
    const withLimit = (per_second: unknown): unknown =>
      JSON.parse(
        JSON.stringify({
          ...answer,
          kind: 'full',
          document: { defaultPlan: null, plans: [['free', { limits: { per_second } }]], customers: [] },
        }),
      )
    expect(syncResponseSchema.safeParse(withLimit(10)).success).toBe(true)
    expect(syncResponseSchema.safeParse(withLimit(Number.NaN)).success).toBe(false)
  })

  test('an unknown member of a plan is refused', () => {
    const document = { defaultPlan: null, plans: [['free', { limits: {}, quota: 5 }]], customers: [] }
    expect(syncResponseSchema.safeParse({ ...answer, kind: 'full', document }).success).toBe(false)
  })
})

describe('applyChanges', () => {
  const before: SyncDocument = {
    defaultPlan: null,
    plans: [
      ['free', { limits: { per_second: 1 } }],
      ['pro', { limits: { per_second: 10 } }],
    ],
    customers: [
      ['acme', { plan: 'pro' }],
      ['__proto__', { plan: 'free' }],
    ],
  }
  const none = { defaultPlan: null, plans: [], removedPlans: [], customers: [], removedCustomers: [] }

  test('sets, adds and removes by name, and does not change its arguments', () => {
    const copy = structuredClone(before)
    const after = applyChanges(before, {
      defaultPlan: 'free',
      plans: [['free', { limits: { per_second: 2 } }]],
      removedPlans: [],
      customers: [['zeta', {}]],
      removedCustomers: ['acme', 'never there'],
    })
    expect(after).toEqual({
      defaultPlan: 'free',
      plans: [
        ['free', { limits: { per_second: 2 } }],
        ['pro', { limits: { per_second: 10 } }],
      ],
      customers: [
        ['__proto__', { plan: 'free' }],
        ['zeta', {}],
      ],
    })
    expect(before).toEqual(copy)
  })

  test('set wins over removed', () => {
    const after = applyChanges(before, { ...none, customers: [['acme', {}]], removedCustomers: ['acme'] })
    expect(new Map(after.customers).get('acme')).toEqual({})
  })
})
