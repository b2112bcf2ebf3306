import type { RequestListener } from 'node:http'
import { readableOf } from '@rail/conformance'
import type { AppUnderTest, Limited } from '@rail/conformance/scenarios'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { preflights, type RateLimit, type RateLimitOptions, rateLimit } from '../src/index.js'

/** The app under test. */
export const appOf = (
  hook: RateLimitOptions['hook'],
  http2 = false,
): AppUnderTest<FastifyRequest, FastifyReply, RateLimit, RequestListener> => ({
  rateLimit: (options) => rateLimit({ ...options, hook }),
  preflights,
  rail: (request) => request.rail,
  header: (request, name) => request.headers[name]?.toString(),
  setFields: (reply, fields) => reply.headers(fields),
  isAnswered: (reply) => reply.sent,
  answer: (reply, { status, headers, body }) => reply.code(status).headers(headers).send(body),
  redirect: (reply, to) => reply.redirect(to),
  stream: (reply, stream) => reply.send(readableOf(stream)),
  raw: (reply, { status, headers, body }) => reply.hijack().raw.writeHead(status, headers).end(body),
  async build({ front, nested, missing, failed, ...outer }) {
    // Its types tell HTTP/2 apart all the way; the two are alike in what is used here.
    const app = Fastify({ http2 } as { http2?: never })
    if (failed !== undefined) app.setErrorHandler((error, _request, reply) => failed(error, reply))
    app.addHook('onRequest', (_request, reply, done) => void front(reply, done))
    // One route is there before the limiters are.
    routesOf(app, outer.routes.slice(0, 1))
    await mount(app, { ...outer, routes: outer.routes.slice(1) }, hook)
    if (missing !== undefined) app.setNotFoundHandler({ preHandler: [...missing.before()] }, missing.handle)
    await app.register((child) => mount(child, nested, hook), { prefix: '/nested' })
    await app.ready()
    return app.routing
  },
})

type App = Limited<FastifyRequest, FastifyReply, RateLimit>

async function mount(to: FastifyInstance, { limiters, behind, routes }: App, hook: RateLimitOptions['hook']) {
  for (const limiter of limiters) await to.register(limiter)
  // The next hook that a request meets.
  if (hook === 'preHandler') to.addHook('preHandler', async () => behind())
  else to.addHook('preParsing', async () => behind())
  routesOf(to, routes)
}

function routesOf(to: FastifyInstance, routes: App['routes']): void {
  for (const { method, path, with: rail, handle } of routes) to[method](path, { config: { rail } }, handle)
}
