import { Hono } from 'hono'
import { expect, it, vi } from 'vitest'
import { manualClock, perMinute, rateLimit } from '../src/index.js'

// What only Hono has; what all adapters share is tested by testAdapter.

it('that was mounted without being called says so, and lets nobody through', async () => {
  const app = new Hono()
  app.use(rateLimit as never)
  app.get('/', (c) => c.text('ok'))
  app.onError((error, c) => c.text(error.message, 500))
  const response = await app.request('/')
  expect([response.status, await response.text()]).toEqual([
    500,
    expect.stringMatching(/not an option of rateLimit\(\)\. Call rateLimit\(\), and mount what it returns/),
  ])
})

// docs/start/hono.md says so: nothing that a request has there is sure to be its own, and to be passed on.
it.each<readonly [string, (app: Hono, sub: Hono) => Hono]>([
  ['app.mount', (app, sub) => app.mount('/sub', sub.fetch)],
  ['fetch', (app, sub) => app.get('/sub/*', (c) => sub.fetch(new Request(c.req.url), c.env))],
])('that two apps have counts a request in each, where one calls the other by %s and not on Node', async (_, call) => {
  const limiter = rateLimit({ identify: () => 'acme', limits: [perMinute(5)], clock: manualClock() })
  const sub = new Hono().use(limiter).get('*', (c) => c.text('ok'))
  const { headers } = await call(new Hono().use(limiter), sub).request('/sub/it')
  expect(headers.get('RateLimit')).toBe('"per_minute";r=3;t=24')
  expect(headers.get('RateLimit-Policy')).toBe('"per_minute";q=5;w=60')
})

it('does nothing at import or construction that Workers forbid there: reads no clock, draws nothing, sets no timer', async () => {
  const called: string[] = []
  const watch = <T extends object>(owner: T, name: keyof T & string): void => {
    const original = owner[name] as (...given: unknown[]) => unknown
    vi.spyOn(owner as Record<string, (...given: unknown[]) => unknown>, name).mockImplementation((...given) => {
      // The runner of the tests has clocks and timers of its own.
      if (/packages[/\\](core|hono)[/\\]src/.test(new Error().stack ?? '')) called.push(name)
      return original.apply(owner, given)
    })
  }
  watch(Date, 'now')
  watch(performance, 'now')
  watch(Math, 'random')
  watch(crypto, 'getRandomValues')
  for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'] as const) watch(globalThis, name)

  vi.resetModules()
  const fresh = await import('../src/index.js')
  const limiter = fresh.rateLimit({
    identify: () => 'acme',
    limits: [fresh.perMinute(5)],
    store: new fresh.MemoryStore(),
  })
  const app = new Hono().use(limiter, limiter.with({ cost: 2 }))
  app.get('/', (c) => c.text('ok'))
  expect(called).toEqual([])

  expect((await app.request('/')).headers.get('RateLimit')).toBe('"per_minute";r=3;t=24')
  expect(called).toContain('now')
  expect(called).not.toContain('setTimeout')
})
