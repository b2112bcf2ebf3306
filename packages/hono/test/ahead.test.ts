import { type Context, Hono, type Next } from 'hono'
import { expect, it } from 'vitest'
import { manualClock, perMinute, type RateLimit, rateLimit } from '../src/index.js'

type Build = (app: Hono, limiter: RateLimit) => unknown

const ok = (c: Context): Response => c.text('ok')

/** `Retry-After` of a request that `app.use(limiter)` refuses: 1 s is the wait for its own cost. */
async function announced(build: Build, path = '/a/report'): Promise<number> {
  const limiter = rateLimit({ identify: () => 'acme', limits: [perMinute(60)], clock: manualClock() })
  const app = new Hono().get('/empty', limiter.with({ cost: 60 }), ok)
  build(app.use(limiter), limiter)
  expect((await app.request('/empty')).status).toBe(200)
  return Number((await app.request(path)).headers.get('Retry-After'))
}

it.each<readonly [string, Build]>([
  ['app.get', (app, limiter) => app.get('/a/report', limiter.with({ cost: 30 }), ok)],
  ['app.use with a path', (app, limiter) => app.use('/a/*', limiter.with({ cost: 30 })).get('/a/report', ok)],
  ['app.route', (app, limiter) => app.route('/a', new Hono().get('/report', limiter.with({ cost: 30 }), ok))],
  [
    'app.route of an app with an error handler of its own',
    (app, limiter) => {
      const inner = new Hono().get('/report', limiter.with({ cost: 30 }), ok).onError((_error, c) => ok(c))
      app.route(
        '/',
        new Hono().route('/a', inner).onError((_error, c) => ok(c)),
      )
    },
  ],
])('a refusal by the mount in front announces the wait of the route: %s', async (_, build) => {
  expect(await announced(build)).toBe(30)
})

it.each<[string, Build, string?]>([
  ['another route', (app, limiter) => app.get('/a/report', limiter.with({ cost: 30 }), ok), '/a/other'],
  [
    'a route behind one that answers',
    (app, limiter) => app.get('/a/*', ok).get('/a/report', limiter.with({ cost: 30 }), ok),
  ],
  // What cannot be known; docs/guides/costs.md says so.
  [
    'a mounted application',
    (app, limiter) => app.mount('/a', new Hono().get('/report', limiter.with({ cost: 30 }), ok).fetch),
  ],
  [
    'a middleware that a function calls',
    (app, limiter) => {
      const costly = limiter.with({ cost: 30 })
      app.get('/a/report', (c: Context, next: Next) => costly(c, next), ok)
    },
  ],
])('a refusal by the mount in front announces its own wait: %s', async (_, build, path) => {
  expect(await announced(build, path)).toBe(1)
})
