import { createStage, type Reply, type Route, type Setup } from '@rail/conformance/scenarios'
import type { Store } from '@rail/core'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { rateLimit } from '../src/index.js'

/** The app under test: one function of a web Request and what the runtime gives with it, for any runtime. */
export function createFetch(makeStore?: () => Store): (request: Request, env?: object) => Promise<Response> {
  const stage = createStage<Context, Hono>((c, name) => c.req.header(name), appOf, makeStore)
  return async (request, env) => {
    const { app, text } = await stage.enter(request.url, request.headers.get('x-scenario') ?? undefined)
    return app === undefined ? new Response(text) : app.fetch(request, env)
  }
}

function appOf({ limiters, mounts, upstream, routes, nested, failed, timeout }: Setup<Context>): Hono {
  const app = new Hono({ strict: false })
  const made = limiters.map((options) => rateLimit(options))
  const first = made[0] as (typeof made)[number]
  const chain = (route: Route<Context>): [MiddlewareHandler, ...MiddlewareHandler[]] => {
    const handler: MiddlewareHandler = async (c) => {
      const of = made.map((limiter) => limiter.of(c))
      return play(route.handle(c.var.rail, of), c)
    }
    return route.with === undefined ? [handler] : [first.with(route.with), handler]
  }
  if (timeout !== undefined) {
    app.use(async (c, next) => {
      next().catch(() => {})
      return play(timeout, c)
    })
  }
  app.use(async (c, next) => {
    for (const [name, value] of Object.entries(upstream)) c.header(name, value)
    await next()
  })
  for (const index of mounts) app.use(made[index] as MiddlewareHandler)
  for (const route of routes) app.on(route.method, route.path, ...chain(route))
  const router = new Hono({ strict: false })
  router.use(first)
  for (const route of nested) router.on(route.method, route.path, ...chain(route))
  app.route('/nested', router)
  app.onError((error, c) => (failed === undefined ? c.text('Internal Server Error', 500) : play(failed(error), c)))
  return app
}

function play(reply: Reply, c: Context): Response | Promise<Response> {
  switch (reply.does) {
    case 'answer':
      return c.newResponse(reply.body ?? null, reply.status as 200, { ...reply.headers })
    case 'redirect':
      return c.redirect(reply.to)
    case 'stream':
      return c.body(streamOf(reply.chunks, reply.open))
    case 'raw':
      return new Response(reply.body, { status: reply.status, headers: { ...reply.headers } })
    case 'throw':
      throw reply.value
    case 'hang':
      return new Promise(() => {})
  }
}

function streamOf(chunks: readonly string[], open: boolean): ReadableStream {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      if (!open) controller.close()
    },
  })
}
