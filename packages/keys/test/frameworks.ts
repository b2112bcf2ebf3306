import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import express, { type Express, type Request } from 'express'
// @ts-expect-error: Express 4 has no types of its own, and is used as Express 5 is.
import express4 from 'express4'
import Fastify, { type FastifyRequest } from 'fastify'
import { type Context, Hono } from 'hono'
import Koa, { type ParameterizedContext } from 'koa'
import { type ApiKeysOptions, apiKeys, type KnownKeys } from '../src/index.js'

export interface Customer {
  readonly id: string
}

/** The options that do not depend on the framework. The address is in a header of the request. */
export type Options = KnownKeys<Customer> & Omit<ApiKeysOptions<Customer, never>, 'address' | keyof KnownKeys<Customer>>

/** An app in each framework: it sets an id on each response, checks the key, and answers `{ id }`. */
export const frameworks: Record<string, (options: Options) => Promise<Server>> = {
  express: (options) => listen(expressApp(express(), options)),
  'express 4': (options) => listen(expressApp(express4(), options)),
  fastify: async (options) => {
    const keys = apiKeys<Customer, FastifyRequest>({
      ...(options as ApiKeysOptions<Customer, FastifyRequest>),
      address: (request) => String(request.headers['x-address']),
    })
    const app = Fastify()
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('x-request-id', '7')
    })
    app.addHook('onRequest', keys.fastify)
    app.get('/', async (request) => ({ id: keys.of(request).id }))
    await app.listen({ port: 0, host: '127.0.0.1' })
    return app.server
  },
  hono: (options) => {
    const keys = apiKeys<Customer, Context>({
      ...(options as ApiKeysOptions<Customer, Context>),
      address: (c) => String(c.req.header('x-address')),
    })
    const app = new Hono()
    app.use(async (c, next) => {
      c.header('x-request-id', '7')
      await next()
    })
    app.use(keys.hono)
    app.onError((_error, c) => c.text('failed', 500))
    app.get('/', (c) => c.json({ id: keys.of(c).id }))
    return listen(getRequestListener(app.fetch))
  },
  koa: (options) => {
    const keys = apiKeys<Customer, ParameterizedContext>({
      ...(options as ApiKeysOptions<Customer, ParameterizedContext>),
      address: (ctx) => ctx.get('x-address'),
    })
    const app = new Koa()
    app.silent = true
    app.use((ctx, next) => {
      ctx.set('x-request-id', '7')
      return next()
    })
    app.use(keys.koa)
    app.use((ctx) => {
      ctx.body = { id: keys.of(ctx).id }
    })
    return listen(app.callback())
  },
}

function expressApp(app: Express, options: Options): Express {
  app.set('env', 'test')
  const keys = apiKeys<Customer, Request>({
    ...(options as ApiKeysOptions<Customer, Request>),
    address: (req) => String(req.get('x-address')),
  })
  // A timeout that answers as soon as the check has to wait.
  app.use((req, res, next) => {
    res.set('x-request-id', '7')
    next()
    if (req.get('x-timeout') !== undefined) res.status(504).end()
  })
  app.use(keys.express)
  app.get('/', (req, res) => {
    res.json({ id: keys.of(req).id })
  })
  // Does not use the keys.
  app.get('/open', (_req, res) => {
    res.send('open')
  })
  return app
}

function listen(handler: RequestListener): Promise<Server> {
  return new Promise((resolve) => {
    // A body in a response that must have none is an error.
    const server = createServer({ rejectNonStandardBodyWrites: true }, handler).listen(0, '127.0.0.1', () =>
      resolve(server),
    )
  })
}

export function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
