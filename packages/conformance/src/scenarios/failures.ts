import { draft7, draft11, type LimiterOptions, limit, localStore, MemoryStore, perMinute, perSecond } from '@rail/core'
import { faultOf } from './faults.js'
import type { ScenarioMaker, Tools } from './tools.js'

/** Scenarios about errors: in the user's functions, in options, in the store. */
export const failureScenarios = {
  faults: (tools) => ({ limiters: [faulty(tools)], errorHandler: true }),
  'faults-without-error-handler': (tools) => ({ limiters: [faulty(tools)] }),
  'store-allow': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perMinute(2)], store: new BrokenStore() }],
    errorHandler: true,
  }),
  'store-refuse': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perMinute(2)], store: new BrokenStore(), onStoreFailure: 'refuse' }],
    errorHandler: true,
  }),
  'store-local': ({ customer }) => ({
    limiters: [
      {
        identify: customer,
        limits: [perSecond(10)],
        store: new BrokenStore(),
        onStoreFailure: localStore({ servers: 4 }),
      },
    ],
  }),
  'hooks-throw': ({ customer }) => ({
    limiters: [
      {
        identify: customer,
        limits: [perMinute(2)],
        onDecision: () => {
          throw new Error('the hook failed')
        },
      },
    ],
    errorHandler: true,
  }),
  'error-hook-throws': ({ customer }) => ({
    limiters: [
      {
        identify: customer,
        limits: [perMinute(2)],
        store: new BrokenStore(),
        onError: () => {
          throw new Error('the hook failed')
        },
      },
    ],
    errorHandler: true,
  }),
  'changing-limits': ({ customer, cost, header }) => ({
    limiters: [
      {
        identify: customer,
        cost,
        limits: (_key, request) => [perMinute(header(request, 'x-plan') === 'tight' ? 2 : 10)],
      },
    ],
  }),
  'clock-without-number': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perMinute(2)], clock: () => Number.NaN }],
    errorHandler: true,
  }),
  'unknown-option': wrong({ stoer: new MemoryStore() }),
  'no-identify': wrong({ identify: undefined }),
  'no-limits': wrong({ limits: undefined }),
  'limits-of-numbers': wrong({ limits: [10] }),
  'limits-of-string': wrong({ limits: '10 per second' }),
  'names-that-differ-in-case': wrong({ limits: [perMinute(1), perMinute(2, { name: 'PER_MINUTE' })] }),
  'cost-as-string': wrong({ cost: '2' }),
  'styles-that-collide': wrong({ headers: [draft11, draft7] }),
  'unknown-style': wrong({ headers: 'draft-99' }),
  'store-without-methods': wrong({ store: new Map() }),
  'unknown-store-failure': wrong({ onStoreFailure: 'open' }),
  'unknown-route-option': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perMinute(2)] }],
    routes: { 'GET /costly': { cost: 1, cots: 2 } as { cost: number } },
  }),
} satisfies Record<string, ScenarioMaker>

/** A limiter whose functions fail for a request with a fault in its headers. */
function faulty<Request>({ customer, cost, header }: Tools<Request>): LimiterOptions<Request> {
  const fault = <T>(request: Request, where: string, usually: T): T =>
    faultOf(where, header(request, 'x-fault'), usually)
  return {
    skip: (request) => fault(request, 'skip', false),
    identify: (request) => fault(request, 'identify', customer(request)),
    limits: (_key, request) => fault(request, 'limits', FIVE),
    cost: (request) => fault(request, 'cost', cost(request)),
  }
}

const FIVE = [limit({ name: 'five', tokens: 5, per: '1m' })]

/** A scenario whose limiter cannot be made. */
function wrong(option: object): ScenarioMaker {
  return ({ customer }) => ({ limiters: [{ identify: customer, limits: [perMinute(2)], ...option }] })
}

/** A store that is unavailable: it throws, or rejects for the customer `rejects`. */
class BrokenStore extends MemoryStore {
  override take(charges: Parameters<MemoryStore['take']>[0]): never {
    const error = new Error('the store is unavailable')
    if (charges[0]?.key === 'rejects') return Promise.reject(error) as never
    throw error
  }
}
