import { type Context, Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { streamSSE } from 'hono/streaming'
import { timeout } from 'hono/timeout'
import { expect, it } from 'vitest'
import { manualClock, perMinute, rateLimit } from '../src/index.js'

// What only Hono has; what all adapters share is tested by testAdapter.

const STATE = '"per_minute";r=4;t=12'

function limited(build: (app: Hono) => void, before: (app: Hono) => void = () => {}): Hono {
  const app = new Hono()
  before(app)
  app.use(rateLimit({ identify: () => 'acme', limits: [perMinute(5)], clock: manualClock() }))
  build(app)
  return app
}

const never = (): Promise<never> => new Promise(() => {})
const failing = (thrown: Error) => (): never => {
  throw thrown
}
const tea = { status: 418 } as const

it.each<readonly [string, number, Hono]>([
  [
    'Response.redirect, which is immutable',
    302,
    limited((app) => app.get('/', () => Response.redirect('http://a/', 302))),
  ],
  ['a fetched response, which is immutable', 200, limited((app) => app.get('/', () => fetch('data:,hello')))],
  ['Response.json', 200, limited((app) => app.get('/', () => Response.json({ ok: true })))],
  ['an HTTPException', 418, limited((app) => app.get('/', failing(new HTTPException(418))))],
  [
    'an HTTPException with a response of its own',
    418,
    limited((app) => app.get('/', failing(new HTTPException(418, { res: new Response('tea', tea) })))),
  ],
  [
    'an HTTPException with an immutable one',
    302,
    limited((app) => app.get('/', failing(new HTTPException(302, { res: Response.redirect('http://a/', 302) })))),
  ],
  [
    'a response of its own by onError',
    418,
    limited((app) => app.get('/', failing(new Error('no'))).onError(() => new Response('tea', tea))),
  ],
  [
    'an immutable one by onError',
    302,
    limited((app) => app.get('/', failing(new Error('no'))).onError(() => Response.redirect('http://a/', 302))),
  ],
  [
    'a response of its own by onError of a sub-app',
    418,
    limited((app) => {
      const inner = new Hono().get('/', failing(new Error('no'))).onError(() => new Response('tea', tea))
      app.route('/', inner)
    }),
  ],
  ['a response of its own by notFound', 418, limited((app) => app.notFound(() => new Response('tea', tea)))],
  ['a mounted application', 418, limited((app) => app.mount('/', () => new Response('tea', tea)))],
  [
    'a stream of events',
    200,
    limited((app) => app.get('/', (c) => streamSSE(c, (stream) => stream.writeSSE({ data: 'one' })))),
  ],
  [
    "an outer timeout's 504",
    504,
    limited(
      (app) => app.get('/', never),
      (app) => app.use(timeout(1)),
    ),
  ],
  [
    "an outer timeout's 504, that onError answers with the exception's own response",
    504,
    limited(
      (app) => app.get('/', never).onError((error) => (error as HTTPException).getResponse()),
      (app) => app.use(timeout(1)),
    ),
  ],
  [
    'an outer middleware that does not wait, with a response of its own',
    418,
    limited(
      (app) => app.get('/', never),
      (app) => app.use((_c, next) => Promise.race([next(), Promise.resolve(new Response('tea', tea))]) as never),
    ),
  ],
  [
    'an outer middleware that fails afterwards',
    418,
    limited(
      (app) => app.get('/', (c) => c.text('ok')).onError(() => new Response('tea', tea)),
      (app) => app.use((_c, next) => next().then(failing(new Error('later')))),
    ),
  ],
  [
    'an outer middleware that replaces the response',
    418,
    limited(
      (app) => app.get('/', (c) => c.text('ok')),
      (app) =>
        app.use(async (c, next) => {
          await next()
          c.res = new Response('tea', tea)
        }),
    ),
  ],
  [
    'an outer middleware that drops the response for one of its own',
    418,
    limited(
      (app) => app.get('/', (c) => c.text('ok')),
      (app) =>
        app.use(async (c, next) => {
          await next()
          c.res = undefined
          c.res = new Response('tea', tea)
        }),
    ),
  ],
])('the fields are on %s', async (_, status, app) => {
  const response = await app.request('/')
  expect([response.status, response.headers.get('RateLimit')]).toEqual([status, STATE])
})

it('two limiters, of which one asked again for a costlier route, are both on an outer timeout’s answer', async () => {
  const app = new Hono()
  const clock = manualClock()
  const customers = rateLimit({ identify: () => 'acme', limits: [perMinute(5)], clock })
  const addresses = rateLimit({ identify: () => 'a', limits: [perMinute(9, { name: 'address' })], clock })
  app.use(timeout(1), customers, addresses)
  app.get('/', customers.with({ cost: 3 }), never)
  app.onError((error) => (error as HTTPException).getResponse())
  const response = await app.request('/')
  expect([response.status, response.headers.get('RateLimit')]).toEqual([
    504,
    expect.stringMatching(/^("per_minute";r=2;t=36, "address";r=8;t=7|"address";r=8;t=7, "per_minute";r=2;t=36)$/),
  ])
})

it('an app that is mounted has a request of its own off Node: it is counted again, and its name is sent once', async () => {
  const limiter = rateLimit({ identify: () => 'acme', limits: [perMinute(5)], clock: manualClock() })
  const sub = new Hono().use(limiter).get('/', (c) => c.text('ok'))
  const { headers } = await new Hono().use(limiter).mount('/sub', sub.fetch).request('/sub')
  expect([headers.get('RateLimit-Policy'), headers.get('RateLimit')]).toEqual([
    '"per_minute";q=5;w=60',
    '"per_minute";r=3;t=24',
  ])
})

it('a response that hands a connection over, and cannot be copied, is left as it is', async () => {
  const upgraded = Object.defineProperty(Response.redirect('http://a/', 302), 'status', { value: 101 })
  let answered: unknown
  const app = limited(
    (app) => app.get('/', () => upgraded),
    (app) =>
      app.use(async (c: Context, next) => {
        await next()
        answered = c.res
      }),
  )
  await app.request('/')
  expect(answered).toBe(upgraded)
})
