import { expect } from 'vitest'
import { check, railHeaders, randomFrom, statusesOf, tally, times } from './check.js'

/** Which customer is counted, how often, and at what cost. */
export const countingChecks = [
  check('each customer is counted alone', 'five-per-minute', async (app) => {
    expect(await app.statuses(6, '/', { as: 'acme' })).toEqual([200, 200, 200, 200, 200, 429])
    expect((await app.get('/', { as: 'other' })).header('RateLimit')).toBe('"per_minute";r=4;t=12')
  }),
  check('customers on different plans have different limits', 'plans', async (app) => {
    const plan = (name: string): { headers: Record<string, string> } => ({ headers: { 'x-plan': name } })
    expect((await app.get('/', { as: 'a', ...plan('free') })).header('RateLimit-Policy')).toBe('"per_minute";q=2;w=60')
    expect((await app.get('/', { as: 'b', ...plan('pro') })).header('RateLimit-Policy')).toBe('"per_minute";q=20;w=60')
  }),
  check('every string is a key of its own, whatever it means elsewhere', 'burst-of-ten', async (app) => {
    for (const as of HOSTILE_KEYS) {
      expect(await app.statuses(11, '/', { as })).toEqual([...times(10, 200), 429])
    }
    expect(await app.statuses(1, '/', { as: 'an ordinary key' })).toEqual([200])
  }),
  check('a key of any bytes is counted, and is not an error', 'raw-keys', async (app) => {
    const random = randomFrom(7)
    const text = (length: number): string =>
      String.fromCharCode(...Array.from({ length }, () => VALUE_BYTES[random(VALUE_BYTES.length)] as number))
    for (let batch = 0; batch < 8; batch++) {
      const twice = Array.from({ length: 50 }, (_, index) => {
        const headers = {
          [NOISE[random(NOISE.length)] as string]: text(20),
          'x-customer': `${text(random(40))}.${index}.${batch}`,
        }
        const method = random(4) === 0 ? 'OPTIONS' : 'HEAD'
        return [
          { path: '/', method, headers },
          { path: '/', headers },
        ]
      })
      const statuses = statusesOf(await app.pipeline(twice.flat()))
      expect(statuses.filter((_, index) => index % 2 === 1)).toEqual(times(50, 429))
      expect(statuses.filter((status, index) => index % 2 === 0 && (status >= 500 || status === 429))).toEqual([])
    }
    expect((await app.seen()).failed).toEqual([])
  }),
  check('requests pipelined on one socket are allowed exactly up to the limit', 'five-per-minute', async (app) => {
    const text = await app.pipeline(times(12, { path: '/' }))
    expect(tally(statusesOf(text))).toEqual(
      new Map([
        [200, 5],
        [429, 7],
      ]),
    )
  }),
  check(
    'pipelined requests are allowed exactly up to the limit when everything is asynchronous',
    'all-async',
    async (app) => {
      const text = await app.pipeline(times(12, { path: '/' }))
      expect(tally(statusesOf(text))).toEqual(
        new Map([
          [200, 5],
          [429, 7],
        ]),
      )
    },
  ),
  check(
    'requests that wait for one shared promise are allowed exactly up to the limit',
    'shared-promise',
    async (app) => {
      const statuses = await app.atOnce(6, '/', { headers: { 'x-together': '6' } })
      expect(statuses).toEqual([200, 200, 200, 429, 429, 429])
    },
    'shared-promise',
  ),
  check('requests on many connections are allowed exactly up to the limit', 'five-per-minute', async (app) => {
    expect(await app.atOnce(12)).toEqual([...times(5, 200), ...times(7, 429)])
  }),
  check('a request takes its cost', 'five-per-minute', async (app) => {
    expect((await app.get('/', { cost: 3 })).header('RateLimit')).toBe('"per_minute";r=2;t=36')
    expect((await app.get('/', { cost: 3 })).status).toBe(429)
  }),
  check('a cost that an asynchronous function returns is taken too', 'all-async', async (app) => {
    expect((await app.get('/', { cost: 3 })).header('RateLimit')).toBe('"per_minute";r=2;t=36')
  }),
  check('a refused expensive request takes nothing: a cheap one fits at once', 'five-per-minute', async (app) => {
    await app.get('/', { cost: 3 })
    expect(await app.statuses(3, '/', { cost: 4 })).toEqual([429, 429, 429])
    expect(await app.statuses(2, '/', { cost: 1 })).toEqual([200, 200])
  }),
  check('a request that a short limit refuses takes nothing from a long one', 'minute-and-day', async (app) => {
    expect(await app.statuses(10)).toEqual([200, 200, ...times(8, 429)])
    expect((await app.get()).header('RateLimit')).toBe('"per_minute";r=0;t=30, "per_day";r=98;t=1728')
  }),
  check('a request of cost 0 takes nothing and is always allowed', 'five-per-minute', async (app) => {
    expect(await app.statuses(5)).toEqual(times(5, 200))
    expect(await app.statuses(2, '/', { cost: 0 })).toEqual([200, 200])
    expect((await app.get('/', { cost: 1 })).status).toBe(429)
  }),
  check('a limit that counts requests counts those of cost 0', 'requests-and-tokens', async (app) => {
    expect(await app.statuses(6, '/', { cost: 0 })).toEqual([200, 200, 200, 200, 429, 429])
  }),
  check(
    'several charges are all or nothing: a refused user takes nothing from the client',
    'client-and-user',
    async (app) => {
      const user = (name: string): { headers: Record<string, string> } => ({ headers: { 'x-user': name } })
      expect(await app.statuses(4, '/', user('ann'))).toEqual([200, 200, 429, 429])
      expect((await app.get('/', user('bob'))).header('RateLimit')).toBe('"client";r=2;t=36, "user";r=1;t=30')
    },
  ),
  check('one limiter counts a request once, mounted twice', 'mounted-twice', async (app) => {
    expect((await app.get()).header('RateLimit')).toBe('"per_minute";r=4;t=12')
    expect(await app.statuses(5)).toEqual([200, 200, 200, 200, 429])
    expect((await app.seen()).handled).toBe(5)
  }),
  check('one limiter counts a request once, mounted on a nested router too', 'five-per-minute', async (app) => {
    expect((await app.get('/nested/')).header('RateLimit')).toBe('"per_minute";r=4;t=12')
    expect(await app.statuses(5, '/nested/')).toEqual([200, 200, 200, 200, 429])
  }),
  check(
    'one limiter counts a request once, where what the framework kept for it is gone',
    'mounted-twice-and-forgotten',
    async (app) => {
      expect((await app.get('/nested/')).header('RateLimit')).toBe('"per_minute";r=4;t=12')
      expect(await app.statuses(5, '/nested/')).toEqual([200, 200, 200, 200, 429])
    },
  ),
  check('two limiters each count a request', 'two-limiters', async (app) => {
    const from = { headers: { 'x-address': '203.0.113.7' } }
    expect((await app.get('/', from)).header('RateLimit')).toBe('"per_minute";r=9;t=6, "address";r=1;t=5')
    expect(await app.statuses(3, '/', from)).toEqual([200, 429, 429])
  }),
  check('two limiters on one store keep to their scopes', 'one-store', async (app) => {
    expect((await app.get()).header('RateLimit')).toBe('"per_minute";r=4;t=12, "other.other";r=4;t=12')
  }),
  check('a costly route takes its cost once, not its cost and one', 'routes', async (app) => {
    expect((await app.get('/costly')).header('RateLimit')).toBe('"per_minute";r=10;t=30')
    expect(await app.statuses(2, '/costly')).toEqual([200, 429])
    expect((await app.get('/')).status).toBe(429)
  }),
  check('a costly route that is refused takes nothing', 'routes', async (app) => {
    await app.statuses(11)
    expect(await app.statuses(3, '/costly')).toEqual([429, 429, 429])
    expect((await app.get()).header('RateLimit')).toBe('"per_minute";r=8;t=36')
  }),
  check('a costly route of a nested router takes its cost once', 'routes', async (app) => {
    expect((await app.get('/nested/costly')).header('RateLimit')).toBe('"per_minute";r=10;t=30')
  }),
  check('a route of cost 0 gives back what the router took', 'routes', async (app) => {
    expect((await app.get('/free')).header('RateLimit')).toBe('"per_minute";r=20;t=0')
  }),
  check(
    'a request that reaches a costly handler has paid its cost, however the path is written',
    'routes',
    async (app) => {
      for (const [index, path] of PATHS_TO_COSTLY.entries()) {
        const as = `customer ${index}`
        const before = (await app.seen()).handled
        const { status } = await app.get(path, { as })
        const reached = (await app.seen()).handled > before
        expect([path, status]).toEqual([path, reached ? 200 : 404])
        const left = reached ? '"per_minute";r=9;t=33' : '"per_minute";r=18;t=6'
        expect([path, (await app.get('/', { as })).header('RateLimit')]).toEqual([path, left])
      }
    },
    'paths-as-sent',
  ),
  check('a tighter route enforces its own limit beside the plan', 'routes', async (app) => {
    const write = { method: 'POST' }
    const first = await app.get('/writes', write)
    expect(railHeaders(first)).toEqual({
      'RateLimit-Policy': '"per_minute";q=20;w=60, "writes.per_minute";q=2;w=60',
      RateLimit: '"per_minute";r=19;t=3, "writes.per_minute";r=1;t=30',
    })
    expect(await app.statuses(2, '/writes', write)).toEqual([200, 429])
    expect((await app.get('/')).header('RateLimit')).toBe('"per_minute";r=17;t=9')
  }),
  check('routes of one scope share its buckets', 'routes', async (app) => {
    const write = { method: 'POST' }
    expect(await app.statuses(1, '/writes', write)).toEqual([200])
    expect(await app.statuses(2, '/writes/more', write)).toEqual([200, 429])
    expect(await app.statuses(1, '/writes', write)).toEqual([429])
  }),
  check(
    'a customer who keeps sending requests stays refused, however many others fill a small store',
    'small-store',
    async (app) => {
      expect(await app.statuses(1)).toEqual([200])
      for (let other = 0; other < 40; other++) {
        expect(await app.statuses(1, '/', { as: `other ${other}` })).toEqual([200])
        if (other % 4 === 3) expect(await app.statuses(1)).toEqual([429])
      }
    },
  ),
]

const HOSTILE_KEYS = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  ' ',
  '{"key":"acme"}',
  'acme\nacme',
  'acme:per_minute',
  '\u{1f6a6}',
  'é',
  'e\u0301',
  '\0',
  'k'.repeat(4_000),
]

/** Paths that some frameworks route to `/costly`, and others do not. */
const PATHS_TO_COSTLY = [
  '/costly?format=csv',
  '/costly/',
  '/COSTLY',
  '/%63ostly',
  '//costly',
  '/costly;a=b',
  '/nested/costly/',
]

/** The bytes that a header field's value may have (RFC 9110 section 5.5). */
const VALUE_BYTES = Array.from({ length: 256 }, (_, byte) => byte).filter(
  (byte) => byte === 9 || (byte >= 32 && byte !== 127),
)

/** Headers that a limiter might believe by mistake. */
const NOISE = [
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Forwarded-For',
  'Forwarded',
  'Origin',
  'X-RateLimit-Limit',
]
