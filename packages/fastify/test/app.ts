import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { listen, listenHttp2, type RunningApp } from '@rail/conformance'
import { createStage, type Reply, type Route, type Setup } from '@rail/conformance/scenarios'
import type { Store } from '@rail/core'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { rateLimit } from '../src/index.js'

/** The app under test. */
export function start(hook: 'onRequest' | 'preHandler', makeStore?: () => Store, http2 = false): Promise<RunningApp> {
  const stage = createStage<FastifyRequest, FastifyInstance>(
    (request, name) => request.headers[name]?.toString(),
    (setup) => appOf(hook, http2, setup),
    makeStore,
  )
  const serve = http2 ? listenHttp2 : listen
  return serve(async (req: IncomingMessage, res: ServerResponse) => {
    const { app, text } = await stage.enter(req.url as string, req.headers['x-scenario'] as string)
    if (app === undefined) res.end(text)
    else app.routing(req, res)
  })
}

async function appOf(
  hook: 'onRequest' | 'preHandler',
  http2: boolean,
  { limiters, mounts, upstream, routes, nested, failed, timeout }: Setup<FastifyRequest>,
): Promise<FastifyInstance> {
  // Its types tell HTTP/2 apart all the way; the two are alike in what is used here.
  const app = Fastify({ http2 } as { http2?: never })
  const made = limiters.map((options) => rateLimit({ ...options, hook }))
  const first = made[0] as (typeof made)[number]
  const add = (to: FastifyInstance, { method, path, with: rail, handle }: Route<FastifyRequest>): void => {
    to.route({
      method,
      url: path,
      ...(rail === undefined ? {} : { config: { rail } }),
      handler: (request, reply) => {
        const of = made.map((limiter) => limiter.of(request))
        return play(handle(request.rail, of), reply)
      },
    })
  }
  if (failed !== undefined) app.setErrorHandler((error, _request, reply) => play(failed(error), reply))
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers({ ...upstream })
    done()
    if (timeout !== undefined && !reply.sent) play(timeout, reply)
  })
  // One route is there before the limiters are.
  for (const route of routes.slice(0, 1)) add(app, route)
  for (const index of mounts) await app.register(made[index] as typeof first)
  for (const route of routes.slice(1)) add(app, route)
  await app.register(
    async (child) => {
      await child.register(first)
      for (const route of nested) add(child, route)
    },
    { prefix: '/nested' },
  )
  await app.ready()
  return app
}

function play(reply: Reply, to: FastifyReply): unknown {
  switch (reply.does) {
    case 'answer':
      return to
        .code(reply.status)
        .headers({ ...reply.headers })
        .send(reply.body)
    case 'redirect':
      return to.redirect(reply.to)
    case 'stream':
      return to.send(streamOf(reply.chunks, reply.open))
    case 'raw':
      to.hijack()
      return to.raw.writeHead(reply.status, reply.headers).end(reply.body)
    case 'throw':
      throw reply.value
    case 'hang':
      return undefined
  }
}

function streamOf(chunks: readonly string[], open: boolean): Readable {
  const left = [...chunks]
  return new Readable({
    read() {
      const chunk = left.shift()
      if (chunk !== undefined) this.push(chunk)
      else if (!open) this.push(null)
    },
  })
}
