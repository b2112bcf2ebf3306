import { expect } from 'vitest'
import { type AdapterCheck, check, railHeaders, times } from './check.js'

/** Limiters and the app around them: what stands in front and behind, and who is called how often. */
export const appChecks: readonly AdapterCheck[] = [
  check(
    'a refused request reaches nothing behind the limiter: its body is not parsed',
    'five-per-minute',
    async (app) => {
      const post = { method: 'POST', body: '{"a":1}', headers: { 'Content-Type': 'application/json' } }
      expect(await app.statuses(9, '/', post)).toEqual([...times(5, 200), ...times(4, 429)])
      const { passed, handled } = await app.seen()
      expect({ passed, handled }).toEqual({ passed: 5, handled: 5 })
    },
    'unread-body',
  ),
  ...['/', '/costly', '/nested/costly'].map((path) =>
    check(
      `the functions of a limiter that is mounted twice are called once for a request: ${path}`,
      'called-once',
      async (app) => {
        expect((await app.get(path)).status).toBe(200)
        expectCalls((await app.seen()).called, 1)
      },
    ),
  ),
  check('the functions of a limiter are called once for a request that it refuses', 'called-once', async (app) => {
    expect(await app.statuses(2, '/costly')).toEqual([200, 200])
    expect((await app.get('/')).status).toBe(429)
    expectCalls((await app.seen()).called, 3)
  }),
  check(
    "a limiter on the app's own handler of paths that are not found limits those alone",
    'missing-limited',
    async (app) => {
      expect(await app.statuses(6, '/nowhere')).toEqual([...times(5, 404), 429])
      const answer = await app.get('/nowhere')
      expect(railHeaders(answer)).toEqual({
        'RateLimit-Policy': '"per_minute";q=5;w=60',
        RateLimit: '"per_minute";r=0;t=12',
        'Retry-After': '12',
      })
      expect(await app.statuses(2)).toEqual([200, 200])
      expect(railHeaders(await app.get())).toEqual({})
    },
  ),
  check(
    'two limiters that each skip what the other counts leave each other alone',
    'parts-of-their-own',
    async (app) => {
      const part = (name: string): { headers: Record<string, string> } => ({ headers: { 'x-part': name } })
      for (const name of ['a', 'b']) {
        expect(railHeaders(await app.get('/', part(name)))).toEqual({
          'RateLimit-Policy': `"${name}";q=2;w=60`,
          RateLimit: `"${name}";r=1;t=30`,
        })
      }
      expect(await app.statuses(2, '/', part('a'))).toEqual([200, 429])
      expect(await app.statuses(2, '/', part('b'))).toEqual([200, 429])
      expect(await app.statuses(2, '/', part('c'))).toEqual([200, 200])
    },
  ),
  check('a HEAD request for a costly route takes its cost once', 'routes', async (app) => {
    const head = { method: 'HEAD' }
    expect((await app.get('/costly', head)).header('RateLimit')).toBe('"per_minute";r=10;t=30')
    expect(await app.statuses(2, '/costly', head)).toEqual([200, 429])
  }),
  check('the options of a limiter stay as they were given', 'routes', async (app) => {
    await app.statuses(2, '/costly')
    await app.statuses(2)
    expect((await app.seen()).changed).toEqual([])
  }),
  check('a store that fails late refuses nothing, and counts on when it is back', 'store-fails-late', async (app) => {
    const states = []
    for (let request = 0; request < 6; request++) states.push((await app.get()).header('RateLimit'))
    expect(states).toEqual([
      '"per_minute";r=4;t=12',
      '"per_minute";r=3;t=24',
      undefined,
      undefined,
      '"per_minute";r=2;t=36',
      '"per_minute";r=1;t=48',
    ])
    const { handled, failed, reported } = await app.seen()
    expect({ handled, failed, reported: reported[0] }).toEqual({
      handled: 6,
      failed: [],
      reported: 'RAIL_STORE_FAILED',
    })
  }),
]

/** Expects one call of each function for each request. A route's own cost may have stood in for that of the limiter. */
function expectCalls({ cost = 0, ...others }: Readonly<Record<string, number>>, requests: number): void {
  expect(others).toEqual({ skip: requests, identify: requests, limits: requests })
  expect(cost).toBeLessThanOrEqual(requests)
}
