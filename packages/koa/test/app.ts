import type { RequestListener } from 'node:http'
import Router from '@koa/router'
import { readableOf } from '@rail/conformance'
import type { AppUnderTest, Limited } from '@rail/conformance/scenarios'
import type Koa from 'koa'
import type { ParameterizedContext as Context } from 'koa'
import { preflights, type RateLimit, rateLimit } from '../src/index.js'

/** The app under test, with Koa 3 or 2. */
export const appOf = (create: typeof Koa): AppUnderTest<Context, Context, RateLimit, RequestListener> => ({
  rateLimit,
  preflights,
  rail: (ctx) => ctx.state.rail,
  header: (ctx, name) => ctx.get(name) || undefined,
  forget: (ctx) => {
    ctx.state = {} as typeof ctx.state
  },
  setFields: (ctx, fields) => ctx.set(fields),
  isAnswered: (ctx) => ctx.body !== undefined,
  answer: (ctx, { status, headers, body }) => {
    ctx.status = status
    ctx.set(headers)
    if (body !== undefined) ctx.body = body
  },
  redirect: (ctx, to) => ctx.redirect(to),
  stream: (ctx, stream) => {
    ctx.body = readableOf(stream)
  },
  raw: (ctx, { status, headers, body }) => {
    ctx.respond = false
    ctx.res.writeHead(status, headers).end(body)
  },
  build({ front, limiters, behind, routes, nested, missing, failed }) {
    const app = new create()
    app.silent = true
    app.use((ctx, next) => front(ctx, next))
    if (failed !== undefined) app.use((ctx, next) => next().catch((error: unknown) => failed(error, ctx)))
    for (const limiter of limiters) app.use(limiter)
    app.use((_ctx, next) => {
      behind()
      return next()
    })
    app.use(mount(new Router({ prefix: '/nested' }), nested).routes())
    app.use(mount(new Router(), { limiters: [], behind: () => {}, routes }).routes())
    if (missing !== undefined) {
      for (const limiter of missing.before()) app.use(limiter)
      app.use((ctx) => missing.handle(ctx, ctx))
    }
    return app.callback()
  },
})

function mount(to: Router, { limiters, behind, routes }: Limited<Context, Context, RateLimit>): Router {
  for (const limiter of limiters) to.use(limiter)
  to.use((_ctx, next) => {
    behind()
    return next()
  })
  for (const { method, path, before, handle } of routes) to[method](path, ...before(), (ctx) => handle(ctx, ctx))
  return to
}
