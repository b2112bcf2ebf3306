import { createRequire } from 'node:module'
import { type Limit, limit, MemoryStore, perDay, perHour, perMinute, perSecond } from '@rail/core'
import { MemoryStore as ExpressStore, type Options } from 'express-rate-limit'
import { MemoryStore as HonoStore } from 'hono-rate-limiter'
import { TokenBucket } from 'limiter'
import { LRUCache } from 'lru-cache'
import { RateLimiterMemory, RateLimiterUnion } from 'rate-limiter-flexible'

/** One way to check a customer, as the source of a loop's body, so that each loop is compiled apart. */
export interface Contestant {
  /** Checks `key` and adds something it learned to `sink`. It may use what `make` returns, by name. */
  readonly check: string
  /** Whether `check` awaits. */
  readonly async?: true
  /** What `check` needs, with room for so many customers. */
  readonly make: (customers: number) => Readonly<Record<string, unknown>>
}

/** Two limits that this machine cannot reach, and two that each customer reaches with its first request. */
const OPEN: readonly Limit[] = Object.freeze([perSecond(10_000_000), perMinute(100_000_000)])
const SHUT: readonly Limit[] = Object.freeze([perHour(1), perDay(1)])

const rail = (limits: readonly Limit[], customers: number) => ({
  store: new MemoryStore({ maxKeys: customers }),
  limits,
})

/** Rail's public decision with both statuses: the time is read once, as the limiter does. */
const RAIL_CHECK = `
  const decision = store.take([{ key, limits, cost: 1 }], Math.floor(performance.now()))
  sink += decision.limits[0].remaining`

const NAIVE_BUCKET = `
  const now = performance.now()
  let bucket = cache.get(key)
  if (bucket === undefined) cache.set(key, (bucket = { tokens: 1e9, at: now }))
  bucket.tokens = Math.min(1e9, bucket.tokens + (now - bucket.at) * 100)
  bucket.at = now
  if (bucket.tokens >= 1) {
    bucket.tokens -= 1
    sink++
  }`

const WINDOW_MS = 60_000

const contestants = {
  rail: { check: RAIL_CHECK, make: (customers) => rail(OPEN, customers) },
  'rail, refused': { check: RAIL_CHECK, make: (customers) => rail(SHUT, customers) },
  /** What every check must do at least: find the customer, read two numbers, write two, know the time. */
  baseline: {
    check: `
  let state = map.get(key)
  if (state === undefined) map.set(key, (state = { a: 0.5, b: 0.5 }))
  const now = performance.now()
  state.a = state.a * 0.5 + now
  state.b = state.b + 1
  sink += state.b`,
    make: () => ({ map: new Map() }),
  },
  'bare Map': { check: 'map.set(key, sink++)', make: () => ({ map: new Map() }) },
  'Map, delete and set': {
    check: `
  const count = map.get(key) ?? 0
  if (map.delete(key) === false && map.size >= most) map.delete(map.keys().next().value)
  map.set(key, count + 1)`,
    make: (customers) => ({ map: new Map(), most: customers }),
  },
  'lru-cache + naive bucket': {
    check: NAIVE_BUCKET,
    make: (customers) => ({ cache: new LRUCache<string, object>({ max: customers }) }),
  },
  '@fastify/rate-limit store': {
    check: `store.incr(key, (error, found) => { sink += found.current }, ${WINDOW_MS}, 1e9)`,
    make: (customers) => ({ store: new FastifyStore(false, false, customers) }),
  },
  'hono-rate-limiter store': {
    check: 'sink += store.increment(key).totalHits',
    make: () => {
      const store = new HonoStore()
      store.init({ windowMs: WINDOW_MS } as Parameters<typeof store.init>[0])
      return { store }
    },
  },
  'express-rate-limit store': {
    check: 'sink += (await store.increment(key)).totalHits',
    async: true,
    make: () => {
      const store = new ExpressStore()
      store.init({ windowMs: WINDOW_MS } as Options)
      return { store }
    },
  },
  'limiter, parent bucket': {
    check: `
  let bucket = map.get(key)
  if (bucket === undefined) map.set(key, (bucket = make()))
  if (bucket.tryRemoveTokens(1)) sink++`,
    make: () => ({ map: new Map(), make: bucketWithParent }),
  },
  'rate-limiter-flexible': {
    check: 'sink += (await limiter.consume(key)).consumedPoints',
    async: true,
    make: () => ({ limiter: new RateLimiterMemory({ points: 1e9, duration: 60 }) }),
  },
  'rate-limiter-flexible Union': {
    check: "sink += (await union.consume(key))['second'].consumedPoints",
    async: true,
    make: () => ({
      union: new RateLimiterUnion(
        new RateLimiterMemory({ keyPrefix: 'second', points: 1e9, duration: 1 }),
        new RateLimiterMemory({ keyPrefix: 'minute', points: 1e9, duration: 60 }),
      ),
    }),
  },
} satisfies Record<string, Contestant>

/** A contestant's name, as it stands in the tables. */
export type ContestantName = keyof typeof contestants | `rail, ${number} limits`

export function contestant(name: ContestantName): Contestant {
  const buckets = /^rail, (\d+) limits$/.exec(name)
  if (buckets === null) return contestants[name as keyof typeof contestants]
  const limits = Array.from({ length: Number(buckets[1]) }, (_, index) =>
    limit({ name: `limit_${index}`, tokens: 10_000_000 + index * 1000, per: '1s' }),
  )
  return { check: RAIL_CHECK, make: (customers) => rail(Object.freeze(limits), customers) }
}

// The peer's store is not among its exports.
const FastifyStore = createRequire(import.meta.url)('@fastify/rate-limit/store/LocalStore.js') as new (
  ...options: unknown[]
) => object

function bucketWithParent(): TokenBucket {
  const parentBucket = new TokenBucket({ bucketSize: 1e9, tokensPerInterval: 1e9, interval: 'minute' })
  return new TokenBucket({ bucketSize: 1e9, tokensPerInterval: 1e9, interval: 'second', parentBucket })
}
