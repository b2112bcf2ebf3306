import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import Router from '@koa/router'
import Koa, { type Middleware } from 'koa'
// @ts-expect-error: the alias has no types; its surface here is that of Koa 3.
import Koa2 from 'koa2'
import { describe, expect, it, onTestFinished } from 'vitest'
import { manualClock, perMinute, type RateLimit, rateLimit } from '../src/index.js'

type Build = (app: Koa, limiter: RateLimit) => unknown

type Case = [string, Build, string?, string?]

const ok: Middleware = (ctx) => {
  ctx.body = 'ok'
}

/** `Retry-After` of a request that `app.use(limiter)` refuses: 1 s is the wait for its own cost. */
async function announced(create: typeof Koa, build: Build, path = '/a/report', method = 'GET'): Promise<number> {
  const limiter = rateLimit({ identify: () => 'acme', limits: [perMinute(60)], clock: manualClock() })
  const app = new create()
  app.use(new Router().get('/empty', limiter.with({ cost: 60 }), ok).routes()).use(limiter as Middleware)
  build(app, limiter)
  const server = app.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const get = (at: string, by = 'GET') =>
    fetch(`http://127.0.0.1:${port}${at}`, { method: by, headers: { connection: 'close' } })
  expect((await get('/empty')).status).toBe(200)
  return Number((await get(path, method)).headers.get('Retry-After'))
}

const report = (limiter: RateLimit): Router => new Router().get('/report', limiter.with({ cost: 30 }), ok)

const known: readonly Case[] = [
  ['router.get', (app, limiter) => app.use(new Router().get('/a/report', limiter.with({ cost: 30 }), ok).routes())],
  [
    'HEAD on GET',
    (app, limiter) => app.use(new Router().get('/:any/report', limiter.with({ cost: 30 }), ok).routes()),
    '/a/report?q',
    'HEAD',
  ],
  ['routers in routers', (app, limiter) => app.use(new Router().use('/a', report(limiter).routes()).routes())],
  [
    'router.use',
    (app, limiter) =>
      app.use(
        new Router()
          .use(limiter.with({ cost: 30 }))
          .get('/a/report', ok)
          .routes(),
      ),
  ],
  ['app.use', (app, limiter) => app.use(limiter.with({ cost: 30 }) as Middleware)],
  [
    'the second router, where the first has no such route',
    (app, limiter) =>
      app
        .use(new Router().post('/a/report', ok).routes())
        .use(new Router({ prefix: '/a' }).use(report(limiter).routes()).routes()),
  ],
  [
    'the last of an exclusive router',
    (app, limiter) =>
      app.use(
        new Router({ exclusive: true })
          .get('/a/:id', ok)
          .get('/a/report', limiter.with({ cost: 30 }), ok)
          .routes(),
      ),
  ],
]

const own: readonly Case[] = [
  ['another route', (app, limiter) => app.use(report(limiter).routes()), '/a/other'],
  [
    'another host',
    (app, limiter) =>
      app.use(new Router({ prefix: '/a', host: 'other.example' }).use(report(limiter).routes()).routes()),
  ],
  ['behind a middleware that answers', (app, limiter) => app.use(ok).use(report(limiter).prefix('/a').routes())],
  [
    'a route behind one that answers',
    (app, limiter) =>
      app.use(
        new Router()
          .get('/a/:id', ok)
          .get('/a/report', limiter.with({ cost: 30 }), ok)
          .routes(),
      ),
  ],
  // What cannot be known; docs/guides/costs.md says so.
  [
    'a middleware that a function calls, as koa-mount does',
    (app, limiter) => {
      const routed = report(limiter).prefix('/a').routes() as Middleware
      app.use((ctx, next) => routed(ctx, next))
    },
  ],
]

describe.each([
  ['Koa 3', Koa],
  ['Koa 2', Koa2 as typeof Koa],
])('%s: a refusal by the mount in front announces', (_, create) => {
  it.each(known)('the wait of the route: %s', async (_name, build, path, method) => {
    expect(await announced(create, build, path, method)).toBe(30)
  })

  it.each(own)('its own wait: %s', async (_name, build, path, method) => {
    expect(await announced(create, build, path, method)).toBe(1)
  })
})
