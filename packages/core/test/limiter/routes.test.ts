import { expect, test } from 'vitest'
import {
  type Charge,
  createLimiter,
  type Limit,
  type Limiter,
  MemoryStore,
  manualClock,
  type Outcome,
  perDay,
  perHour,
  perMinute,
  perSecond,
  several,
} from '../../src/index.js'
import { randomNumbers } from '../random-numbers.js'

const limits = [perSecond(30), perMinute(40), perHour(50), perDay(60)]

/** Random programs: a limiter of several charges, or of a plan with routes that add limits; all synchronous, or not. */
function program(below: (bound: number) => number) {
  const some = (of: readonly Limit[]): readonly Limit[] => of.filter(() => below(2) === 0)
  const later = below(2) === 0
  const store = new MemoryStore()
  const clock = manualClock()
  const [first, ...others] = limits as [Limit, ...Limit[]]
  const charges: Charge[] = [
    { key: 'a', limits: [first], cost: 1 + below(3) },
    { key: 'a', limits: some(others), cost: below(4) },
    { key: 'a', scope: 's', limits: some(limits), cost: 1 },
    { key: 'a', limits: [first], cost: below(3) },
  ]
  const hasCharges = below(2) === 0
  const limiter = hasCharges
    ? createLimiter<object>({ charges: several(() => (later ? Promise.resolve(charges) : charges)), store, clock })
    : createLimiter<object>({ identify: () => (later ? Promise.resolve('a') : 'a'), limits: [first], store, clock })
  const routes = Array.from({ length: 4 }, () => {
    const cost = below(2) === 0 ? below(8) : undefined
    if (hasCharges || below(2) === 0) return limiter.with({ cost })
    return limiter.with({ cost, limits: some(others), scope: ['', 'w', 'x'][below(3)] })
  })
  return { limiter, routes: [limiter, ...routes], store, below, atOnce: below(2) === 0 }
}

async function ask(routes: readonly Limiter<object>[], request: object, atOnce: boolean): Promise<void> {
  if (atOnce) await Promise.all(routes.map((route) => route.take(request)))
  else for (const route of routes) await route.take(request)
}

test.each(Array.from({ length: 300 }, (_, index) => [index + 1]))(
  'a request has taken what its last decision says, whatever routes have asked: seed %i',
  async (seed) => {
    const { limiter, routes, store, below, atOnce } = program(randomNumbers(seed))
    const taken = new Map<string, { charge: Charge; tokens: number }>()
    for (let count = 0; count < 6; count++) {
      const request = {}
      const asked = Array.from({ length: 1 + below(5) }, () => routes[below(routes.length)] as Limiter<object>)
      await ask(asked, request, atOnce)
      const { decision } = limiter.of(request) as Outcome
      for (const { limit, scope, key, cost } of decision?.allowed === true ? decision.limits : []) {
        const bucket = `${scope} ${limit.name}`
        const tokens = cost + (taken.get(bucket)?.tokens ?? 0)
        taken.set(bucket, { charge: { scope, key, limits: [limit], cost: 0 }, tokens })
      }
    }
    for (const [bucket, { charge, tokens }] of taken) {
      const status = store.peek([charge], 0).limits[0]
      expect((status?.limit.burst ?? 0) - (status?.remaining ?? 0), bucket).toBe(tokens)
    }
  },
)
