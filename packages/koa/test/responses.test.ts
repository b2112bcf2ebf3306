import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
// @ts-expect-error: the alias has no types; its surface here is that of Koa 3.
import Koa2 from 'koa2'
import { describe, expect, onTestFinished, test } from 'vitest'
import { manualClock, perMinute, rateLimit } from '../src/index.js'

// What only Koa has; what all adapters share is tested by testAdapter.

const STATE = '"per_minute";r=4;t=12'
type Middlewares = readonly Koa.Middleware[]

/** The answers of an app with middlewares in front of the limiter and behind it. */
async function served(create: typeof Koa, behind: Middlewares, before: Middlewares = []) {
  const app = new create()
  app.silent = true
  const limiter = rateLimit({
    identify: (ctx) => ctx.get('x-customer') || 'acme',
    limits: [perMinute(5)],
    clock: manualClock(),
  })
  for (const middleware of [...before, limiter, ...behind]) app.use(middleware as Koa.Middleware)
  const server = app.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return (headers = {}) => fetch(`http://127.0.0.1:${port}`, { headers: { connection: 'close', ...headers } })
}

const ok: Koa.Middleware = (ctx) => {
  ctx.body = 'ok'
}
const throws =
  (thrown: unknown): Koa.Middleware =>
  () => {
    throw thrown
  }
const throwsLater =
  (thrown: unknown): Koa.Middleware =>
  async (_ctx, next) => {
    await next()
    throw thrown
  }

describe.each([
  ['Koa 3', Koa],
  ['Koa 2', Koa2 as typeof Koa],
])('on %s the fields are there', (_, create) => {
  test.each<readonly [string, number, Middlewares, Middlewares]>([
    ['after ctx.throw', 418, [(ctx) => ctx.throw(418)], []],
    [
      'after ctx.throw with headers of its own',
      418,
      [(ctx) => ctx.throw(418, 'tea', { headers: { 'X-Tea': 'yes' } })],
      [],
    ],
    ['after a thrown text', 500, [throws('tea')], []],
    ['after an error thrown in front of the limiter, once it has counted', 500, [ok], [throwsLater(new Error('late'))]],
    ['after a text thrown in front of the limiter', 500, [ok], [throwsLater('late')]],
    ['after an error that a middleware in front of it answers', 418, [throws(new Error('no'))], [answersErrors]],
  ])('%s', async (_, status, behind, before) => {
    const response = await (await served(create, behind, before))()
    expect([response.status, response.headers.get('RateLimit')]).toEqual([status, STATE])
  })

  test('of each customer alone, where all errors are one object', async () => {
    const shared = Object.assign(new Error('shared'), { status: 503, expose: true })
    const ask = await served(create, [throws(shared)])
    expect((await ask({ 'x-customer': 'a' })).headers.get('RateLimit')).toBe(STATE)
    expect((await ask({ 'x-customer': 'a' })).headers.get('RateLimit')).toBe('"per_minute";r=3;t=24')
    expect((await ask({ 'x-customer': 'b' })).headers.get('RateLimit')).toBe(STATE)
    expect(shared).not.toHaveProperty('headers')
  })
})

test('one limiter counts a request once, also in an app that another calls by its callback', async () => {
  const limiter = rateLimit({ identify: () => 'acme', limits: [perMinute(5)], clock: manualClock() })
  const inner = new Koa()
    .use(limiter)
    .use(limiter.with({ cost: 2 }))
    .use(ok)
    .callback()
  const calls: Koa.Middleware = (ctx) => {
    ctx.respond = false
    return inner(ctx.req, ctx.res)
  }
  const response = await (await served(Koa, [calls], [limiter as Koa.Middleware]))()
  expect(response.headers.get('RateLimit')).toBe('"per_minute";r=3;t=24')
})

async function answersErrors(ctx: Koa.Context, next: Koa.Next): Promise<void> {
  try {
    await next()
  } catch {
    ctx.status = 418
    ctx.body = 'tea'
  }
}
