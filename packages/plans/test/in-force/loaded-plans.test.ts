import { describe, expect, test } from 'vitest'
import { changePlans, loadPlans } from '../../src/in-force/loaded-plans.js'
import { PlansInForce } from '../../src/in-force/plans-in-force.js'
import { settingsOf } from '../../src/sync/sync-options.js'

const head = { epoch: 'e', rev: 1, setting: 'each', servers: 1, defaultPlan: null } as const
const plans = [['pro', { limits: { per_second: 50 } }]]
const customers = (count: number): unknown[] =>
  Array.from({ length: count }, (_, index) => [`c${index}`, { plan: 'pro' }])

/** How often other work had its turn until a promise was settled. */
async function turnsOf(promise: Promise<unknown>): Promise<number> {
  let settled = false
  let turns = 0
  void promise.finally(() => {
    settled = true
  })
  for (; !settled; turns++) await new Promise((resolve) => setImmediate(resolve))
  return turns
}

describe('a large payload', () => {
  test('is checked in slices, with requests in between', async () => {
    expect(await turnsOf(loadPlans({ ...head, plans, customers: customers(20_000) }, Date.now))).toBeGreaterThanOrEqual(
      20,
    )
  })

  test('of changes too', async () => {
    const loaded = await loadPlans({ ...head, plans, customers: [] }, Date.now)
    const changes = {
      defaultPlan: null,
      plans: [],
      removedPlans: [],
      customers: customers(6_000),
      removedCustomers: [],
    }
    const answer = {
      ...head,
      v: 1,
      kind: 'delta',
      from: 1,
      rev: 2,
      changes,
      nextSyncMs: 15_000,
      serverTime: 0,
    } as const
    expect(await turnsOf(changePlans(loaded, answer, Date.now))).toBeGreaterThanOrEqual(6)
  })

  test('with a customer twice is refused, at any distance', async () => {
    const twice = [...customers(2_500), ['c0', {}]]
    await expect(loadPlans({ ...head, plans, customers: twice }, Date.now)).rejects.toThrow('twice')
  })
})

test('a copy that is read after an answer changes nothing', async () => {
  const settings = settingsOf({ url: 'http://127.0.0.1:1', token: 'x' })
  const inForce = new PlansInForce(settings, { unknownCustomer: () => {}, unknownScope: () => {} })
  const document = { defaultPlan: null, plans, customers: customers(1) }
  await inForce.apply({ ...head, v: 1, kind: 'full', document, rev: 7, nextSyncMs: 15_000, serverTime: 0 })
  await inForce.useCopy({ ...head, plans, customers: [] })
  expect([inForce.source, inForce.have, inForce.limitsFor('c0', '')[0]?.tokens]).toEqual([
    'live',
    { epoch: 'e', rev: 7 },
    50,
  ])
})
