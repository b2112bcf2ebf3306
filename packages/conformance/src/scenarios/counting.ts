import { addressKey, type Limit, limit, MemoryStore, perDay, perMinute, perSecond, several, share } from '@rail/core'
import { LaterStore } from './later-store.js'
import type { ScenarioMaker } from './tools.js'

/** Scenarios about customers, limits and costs. */
export const countingScenarios = {
  'burst-of-ten': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [limit({ name: 'default', tokens: 1, per: '1s', burst: 10 })] }],
  }),
  'second-and-minute': ({ customer, cost }) => ({
    limiters: [{ identify: customer, limits: [perSecond(10), perMinute(300)], cost }],
  }),
  'minute-and-day': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perMinute(2), perDay(100)] }],
  }),
  'hundred-per-minute': ({ customer }) => ({ limiters: [{ identify: customer, limits: [perMinute(100)] }] }),
  'share-of-four': ({ customer, cost }) => ({
    limiters: [{ identify: customer, limits: [share(perSecond(10), 4)], cost }],
  }),
  'odd-limits': ({ customer, cost }) => ({ limiters: [{ identify: customer, limits: (key) => oddLimits(key), cost }] }),
  'five-per-minute': ({ customer, cost }) => ({ limiters: [{ identify: customer, limits: [perMinute(5)], cost }] }),
  'all-async': ({ customer, cost }) => ({
    limiters: [
      {
        identify: async (request) => customer(request),
        limits: async () => [perMinute(5)],
        cost: async (request) => cost(request),
        skip: async () => false,
      },
    ],
  }),
  'shared-promise': ({ customer, together }) => ({
    limiters: [
      {
        identify: (request) => together(request).then(() => customer(request)),
        limits: [perMinute(3)],
      },
    ],
    errorHandler: true,
  }),
  'requests-and-tokens': ({ customer, cost }) => ({
    limiters: [
      {
        identify: customer,
        limits: [
          limit({ name: 'requests', tokens: 4, per: '1m', counts: 'requests' }),
          limit({ name: 'tokens', tokens: 100, per: '1m' }),
        ],
        cost,
      },
    ],
  }),
  'client-and-user': ({ customer, header }) => ({
    limiters: [
      {
        charges: several((request) => [
          { key: `client:${customer(request)}`, limits: CLIENT, cost: 1 },
          { key: `user:${header(request, 'x-user')}`, limits: USER, cost: 1 },
        ]),
      },
    ],
  }),
  'mounted-twice': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perMinute(5)] }],
    mounts: [0, 0],
  }),
  // Replaced while the limiter counts, and so before it is met again.
  'mounted-twice-and-forgotten': ({ customer, forget }) => ({
    limiters: [
      {
        identify: (request) => {
          forget(request)
          return customer(request)
        },
        limits: [perMinute(5)],
      },
    ],
    mounts: [0, 0],
  }),
  'two-limiters': ({ customer, header }) => ({
    limiters: [
      { identify: customer, limits: [perMinute(10)] },
      {
        identify: (request) => header(request, 'x-address') ?? null,
        limits: [limit({ name: 'address', tokens: 2, per: '10s' })],
      },
    ],
  }),
  'one-store': ({ customer }) => {
    const store = new MemoryStore()
    const limits = [perMinute(5)]
    return {
      limiters: [
        { identify: customer, limits, store },
        { identify: customer, limits: [perMinute(5, { name: 'other' })], store, scope: 'other' },
      ],
    }
  },
  routes: ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perMinute(20)] }],
    routes: ROUTES,
  }),
  'routes-of-a-later-store': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perMinute(20)], store: new LaterStore() }],
    routes: ROUTES,
  }),
  plans: ({ customer, header }) => ({
    limiters: [
      { identify: customer, limits: (_key, request) => PLANS.get(header(request, 'x-plan') ?? 'free') as Limit[] },
    ],
    errorHandler: true,
  }),
  'raw-keys': ({ header }) => ({
    limiters: [{ identify: (request) => header(request, 'x-customer') ?? null, limits: [perMinute(1)] }],
    errorHandler: true,
  }),
  'raw-addresses': ({ header }) => ({
    limiters: [{ identify: (request) => keyOfAddress(header(request, 'x-address')), limits: [perMinute(1)] }],
    errorHandler: true,
  }),
  'small-store': ({ customer }) => ({
    limiters: [{ identify: customer, limits: [perMinute(1)], store: new MemoryStore({ maxKeys: 8 }) }],
  }),
} satisfies Record<string, ScenarioMaker>

/** The key of an address, or one key for all strings that are not an address. */
function keyOfAddress(text: string | undefined): string {
  try {
    return addressKey(text)
  } catch {
    return 'address:none'
  }
}

const WRITES = [perMinute(2)]
const ROUTES = {
  'GET /costly': { cost: 10 },
  'GET /free': { cost: 0 },
  'GET /huge': { cost: () => 21 },
  'GET /settled/3': { cost: 10 },
  'POST /writes': { scope: 'writes', limits: WRITES },
  'POST /writes/more': { scope: 'writes', limits: WRITES },
  'GET /nested/costly': { cost: 10 },
}

const CLIENT = [perMinute(5, { name: 'client' })]
const USER = [perMinute(2, { name: 'user' })]

/** A plan that is missing has no limits: an error. A plan without limits is an empty array. */
const PLANS = new Map<string, readonly Limit[]>([
  ['free', [perMinute(2)]],
  ['pro', [perMinute(20)]],
  ['internal', []],
])

/** Limits whose waits are not round numbers, and one whose wait is longer than a 32-bit timer, by the customer's name. */
function oddLimits(name: string): readonly Limit[] {
  return ODD[name] ?? []
}

const ODD: Readonly<Record<string, readonly Limit[]>> = {
  seven: [perSecond(7)],
  eleven: [limit({ name: 'eleven', tokens: 11, per: '13s' })],
  many: [perDay(999_983)],
  month: [limit({ name: 'month', tokens: 1, per: '30d' })],
  brief: [limit({ name: 'brief', tokens: 1, per: 100 })],
}
