import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { listen } from '@rail/conformance'
import { Hono } from 'hono'
import { etag } from 'hono/etag'
import { expect, it } from 'vitest'
import { manualClock, perMinute, rateLimit } from '../src/index.js'

// What only Hono on Node has: the fields go to Node's response, whatever becomes of Hono's.

type App = Hono<{ Bindings: HttpBindings }>

it('the fields are on a response that a handler writes by itself', async () => {
  const app: App = new Hono()
  app.use(rateLimit({ identify: () => 'acme', limits: [perMinute(5)], clock: manualClock() }))
  app.get('/', (c) => {
    c.env.outgoing.writeHead(200, { 'X-By': 'hand' }).end('ok')
    return RESPONSE_ALREADY_SENT
  })
  const { headers } = await ask(app, '/')
  expect([headers.get('X-By'), headers.get('RateLimit')]).toEqual(['hand', '"per_minute";r=4;t=12'])
})

it('the fields are on a 304 by etag() in front of the limiter, which takes all others off', async () => {
  const app: App = new Hono()
  app.use(etag(), rateLimit({ identify: () => 'acme', limits: [perMinute(5)], clock: manualClock() }))
  app.get('/', (c) => c.text('ok', 200, { 'X-Other': 'one' }))
  const known = (await ask(app, '/')).headers.get('ETag') ?? ''
  const { status, headers } = await ask(app, '/', 'GET', { 'If-None-Match': known })
  expect([status, headers.get('X-Other'), headers.get('RateLimit')]).toEqual([304, null, '"per_minute";r=3;t=24'])
})

it.each<readonly [string, string, string, (url: URL) => [URL | string, RequestInit?]]>([
  ['another path', '/outer', 'GET', (url) => [new URL('/inner', url)]],
  ['another method', '/inner', 'POST', (url) => [new URL('/inner', url), { method: 'GET' }]],
  ['a path that ends alike', '/inner', 'GET', (url) => [new URL('/an/inner', url)]],
])('a request that a handler makes, with %s, keeps what is said of it to itself', async (_, path, method, inner) => {
  const app: App = new Hono()
  const limited = new Hono().use(rateLimit({ identify: () => 'acme', limits: [perMinute(1)], clock: manualClock() }))
  limited.get('*', (c) => c.text('ok'))
  app.on(method, path, async (c) => {
    const request = (): Request => new Request(...inner(new URL(c.req.url)))
    const answers = [await limited.fetch(request(), c.env), await limited.fetch(request(), c.env)]
    return c.json(answers.map(({ status, headers }) => [status, headers.get('RateLimit')]))
  })
  const response = await ask(app, path, method)
  // Both belong to the request that the handler answers, which is counted once.
  expect(await response.json()).toEqual(times(2, [200, '"per_minute";r=0;t=60']))
  expect([response.headers.get('RateLimit'), response.headers.get('Retry-After')]).toEqual([null, null])
})

it.each<readonly [string, (app: App, sub: App) => App]>([
  ['app.mount', (app, sub) => app.mount('/sub', sub.fetch)],
  ['fetch with its environment', (app, sub) => app.get('/sub/*', (c) => sub.fetch(new Request(c.req.url), c.env))],
])('one limiter counts a request once, also in an app that another calls by %s', async (_, call) => {
  const limiter = rateLimit({ identify: () => 'acme', limits: [perMinute(5)], clock: manualClock() })
  const sub: App = new Hono<{ Bindings: HttpBindings }>().use(limiter)
  sub.get('*', limiter.with({ cost: 2 }), (c) => c.json(limiter.of(c)?.decision?.limits[0]?.remaining))
  const app: App = new Hono()
  const { status, headers } = await ask(call(app.use(limiter), sub), '/sub/it')
  expect([status, headers.get('RateLimit')]).toEqual([200, '"per_minute";r=3;t=24'])
})

function times<T>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value)
}

async function ask(app: App, path: string, method = 'GET', headers = {}): Promise<Response> {
  const server = await listen(getRequestListener((request, env) => app.fetch(request, env as HttpBindings)))
  try {
    const response = await fetch(new URL(path, server.url), { method, headers })
    return new Response(response.status === 304 ? null : await response.arrayBuffer(), response)
  } finally {
    await server.stop()
  }
}
