import { PassThrough } from 'node:stream'
import Router from '@koa/router'
import { listen, type RunningApp } from '@rail/conformance'
import { createStage, type Reply, type Route, type Setup } from '@rail/conformance/scenarios'
import type { Store } from '@rail/core'
import type Koa from 'koa'
import type { Middleware, ParameterizedContext } from 'koa'
import { rateLimit } from '../src/index.js'

/** The app under test, with Koa 3 or 2. */
export function start(create: typeof Koa, makeStore?: () => Store, serve = listen): Promise<RunningApp> {
  const stage = createStage<ParameterizedContext, Koa>(
    (ctx, name) => ctx.get(name) || undefined,
    (setup) => appOf(create, setup),
    makeStore,
  )
  return serve(async (req, res) => {
    const { app, text } = await stage.enter(req.url as string, req.headers['x-scenario'] as string)
    if (app === undefined) res.end(text)
    else app.callback()(req, res)
  })
}

function appOf(
  create: typeof Koa,
  { limiters, mounts, upstream, routes, nested, failed, timeout }: Setup<ParameterizedContext>,
): Koa {
  const app = new create()
  app.silent = true
  const made = limiters.map((options) => rateLimit(options))
  const first = made[0] as (typeof made)[number]
  const chain = (route: Route<ParameterizedContext>): Middleware[] => [
    ...(route.with === undefined ? [] : [first.with(route.with) as Middleware]),
    (ctx) => {
      const of = made.map((limiter) => limiter.of(ctx))
      return play(route.handle(ctx.state.rail, of), ctx)
    },
  ]
  if (timeout !== undefined) {
    app.use((ctx, next) => {
      next().catch(() => {})
      if (ctx.body === undefined) play(timeout, ctx)
    })
  }
  if (failed !== undefined) {
    app.use((ctx, next) => next().catch((error: unknown) => play(failed(error), ctx)))
  }
  app.use((ctx, next) => {
    ctx.set({ ...upstream })
    return next()
  })
  for (const index of mounts) app.use(made[index] as Middleware)
  const router = new Router()
  for (const { method, path, ...route } of routes) {
    router.register(path, [method], chain({ method, path, ...route }))
  }
  const inner = new Router({ prefix: '/nested' }).use(first as Middleware)
  for (const route of nested) inner.get(route.path, ...chain(route))
  app.use(inner.routes() as Middleware).use(router.routes() as Middleware)
  return app
}

function play(reply: Reply, ctx: ParameterizedContext): Promise<never> | undefined {
  switch (reply.does) {
    case 'answer':
      ctx.status = reply.status
      ctx.set({ ...reply.headers })
      if (reply.body !== undefined) ctx.body = reply.body
      break
    case 'redirect':
      ctx.redirect(reply.to)
      break
    case 'stream': {
      const stream = new PassThrough()
      for (const chunk of reply.chunks) stream.write(chunk)
      if (!reply.open) stream.end()
      ctx.body = stream
      break
    }
    case 'raw':
      ctx.respond = false
      ctx.res.writeHead(reply.status, reply.headers).end(reply.body)
      break
    case 'throw':
      throw reply.value
    case 'hang':
      return new Promise(() => {})
  }
  return undefined
}
