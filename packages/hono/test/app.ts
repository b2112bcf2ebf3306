import { type AppUnderTest, type Fetch, type Limited, readableStreamOf } from '@rail/conformance/scenarios'
import { type Context, Hono } from 'hono'
import { preflights, type RateLimit, rateLimit } from '../src/index.js'

/** The app under test, for any runtime. */
export const app: AppUnderTest<Context, Context, RateLimit, Fetch, Response> = {
  rateLimit,
  preflights,
  rail: (c) => c.var.rail,
  header: (c, name) => c.req.header(name),
  setFields: (c, fields) => {
    for (const [name, value] of Object.entries(fields)) c.header(name, value)
  },
  isAnswered: (c) => c.finalized,
  answer: (c, { status, headers, body = null }) => c.newResponse(body, status as 200, headers),
  redirect: (c, to) => c.redirect(to),
  stream: (c, stream) => c.body(readableStreamOf(stream)),
  raw: (_c, { status, headers, body }) => new Response(body, { status, headers }),
  build({ front, nested, missing, failed, ...outer }) {
    const app = new Hono({ strict: false })
    app.use(async (c, next) => front(c, next))
    mount(app, outer).route('/nested', mount(new Hono({ strict: false }), nested))
    if (missing !== undefined) app.use(...missing.before()).all('*', (c) => missing.handle(c, c))
    app.onError((error, c) => failed?.(error, c) ?? c.text('Internal Server Error', 500))
    return app.fetch
  },
}

function mount(to: Hono, { limiters, behind, routes }: Limited<Context, Context, RateLimit, Response>): Hono {
  to.use(...limiters, async (_c, next) => {
    behind()
    await next()
  })
  for (const { method, path, before, handle } of routes) to.on(method, [path], ...before(), (c) => handle(c, c))
  return to
}
