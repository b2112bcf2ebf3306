import { createServer, type Server } from 'node:http'
import fastifyPeer from '@fastify/rate-limit'
import { getRequestListener } from '@hono/node-server'
import { draft6, draft11 } from '@rail/core'
import { rateLimit as railExpress } from '@rail/express'
import { rateLimit as railFastify } from '@rail/fastify'
import { rateLimit as railHono } from '@rail/hono'
import { rateLimit as railKoa } from '@rail/koa'
import express, { type RequestHandler } from 'express'
import { rateLimit as expressPeer } from 'express-rate-limit'
import fastify, { type FastifyInstance } from 'fastify'
import { Hono, type MiddlewareHandler } from 'hono'
import { rateLimiter as honoPeer } from 'hono-rate-limiter'
import Koa, { type Middleware } from 'koa'
import koaPeer from 'koa-ratelimit'
import { CUSTOMER, type Front, HOUR_MS, limitsOf, POLICY, peerMost, REFUSAL, STATE, styleFor } from './fronts.js'

/** A server of a framework with one route, `GET /hello`, that answers `ok`. */
export type MakeServer = (front: Front) => Server | Promise<Server>

/** What is mounted in front of the route: Rail, or the peer once or twice, or a floor. */
type Fronts<Mount> = Readonly<Record<'no-op' | 'fields' | 'static 429', Mount>> & {
  readonly rail: () => Mount
  readonly peer: () => Mount
}

function mountsOf<Mount>(front: Front, fronts: Fronts<Mount>): readonly Mount[] {
  switch (front) {
    case 'bare':
      return []
    case 'no-op':
    case 'fields':
    case 'static 429':
      return [fronts[front]]
    case 'one':
    case 'two':
    case 'one, refused':
      return [fronts.rail()]
    case 'peer':
    case 'peer, refused':
      return [fronts.peer()]
    case 'peer twice':
      return [fronts.peer(), fronts.peer()]
  }
}

const expressServer: MakeServer = (front) => {
  const app = express()
  const fronts: Fronts<RequestHandler> = {
    'no-op': (_req, _res, next) => next(),
    fields: (_req, res, next) => {
      res.setHeader('RateLimit-Policy', POLICY)
      res.setHeader('RateLimit', STATE)
      next()
    },
    'static 429': (_req, res) => {
      res.writeHead(429, { ...STATIC, 'Content-Length': REFUSAL.length }).end(REFUSAL)
    },
    rail: () =>
      railExpress({ identify: (req) => req.get(CUSTOMER) ?? null, limits: limitsOf(front), headers: draft11 }),
    peer: () =>
      expressPeer({
        windowMs: HOUR_MS,
        limit: peerMost(front),
        standardHeaders: 'draft-7',
        legacyHeaders: false,
        keyGenerator: (req) => req.get(CUSTOMER) ?? '',
      }),
  }
  for (const middleware of mountsOf(front, fronts)) app.use(middleware)
  app.get('/hello', (_req, res) => {
    res.send('ok')
  })
  return createServer(app)
}

const fastifyServer: MakeServer = async (front) => {
  const app = fastify()
  const fronts: Fronts<(instance: FastifyInstance) => unknown> = {
    'no-op': (instance) => instance.addHook('onRequest', (_request, _reply, done) => done()),
    fields: (instance) =>
      instance.addHook('onRequest', (_request, reply, done) => {
        reply.header('RateLimit-Policy', POLICY)
        reply.header('RateLimit', STATE)
        done()
      }),
    'static 429': (instance) =>
      instance.addHook('onRequest', (_request, reply) => {
        reply.code(429).headers(STATIC).send(REFUSAL)
      }),
    rail: () => (instance) =>
      instance.register(railFastify, {
        identify: (request) => String(request.headers[CUSTOMER]),
        limits: limitsOf(front),
        headers: styleFor(front, draft6),
      }),
    peer: () => (instance) =>
      instance.register(fastifyPeer, {
        max: peerMost(front),
        timeWindow: HOUR_MS,
        cache: 40_000,
        enableDraftSpec: true,
        keyGenerator: (request) => String(request.headers[CUSTOMER]),
      }),
  }
  for (const mount of mountsOf(front, fronts)) await mount(app)
  app.get('/hello', (_request, reply) => {
    reply.send('ok')
  })
  await app.ready()
  return app.server
}

const honoServer: MakeServer = (front) => {
  const app = new Hono()
  const fronts: Fronts<MiddlewareHandler> = {
    'no-op': async (_c, next) => {
      await next()
    },
    fields: async (c, next) => {
      c.header('RateLimit-Policy', POLICY)
      c.header('RateLimit', STATE)
      await next()
    },
    'static 429': async (c) => c.body(REFUSAL, 429, { ...STATIC, 'Content-Length': String(REFUSAL.length) }),
    rail: () =>
      railHono({ identify: (c) => c.req.header(CUSTOMER) ?? null, limits: limitsOf(front), headers: draft11 }),
    peer: () =>
      honoPeer({
        windowMs: HOUR_MS,
        limit: peerMost(front),
        standardHeaders: 'draft-7',
        keyGenerator: (c) => c.req.header(CUSTOMER) ?? '',
      }),
  }
  for (const middleware of mountsOf(front, fronts)) app.use(middleware)
  app.get('/hello', (c) => c.text('ok'))
  return createServer(getRequestListener(app.fetch))
}

const koaServer: MakeServer = (front) => {
  const app = new Koa()
  const fronts: Fronts<Middleware> = {
    'no-op': (_ctx, next) => next(),
    fields: (ctx, next) => {
      ctx.set('RateLimit-Policy', POLICY)
      ctx.set('RateLimit', STATE)
      return next()
    },
    'static 429': (ctx) => {
      ctx.status = 429
      ctx.set(STATIC)
      ctx.body = REFUSAL
    },
    rail: () =>
      railKoa({
        identify: (ctx) => ctx.get(CUSTOMER),
        limits: limitsOf(front),
        headers: styleFor(front, draft6),
      }) as Middleware,
    peer: () =>
      koaPeer({
        driver: 'memory',
        db: new Map(),
        duration: HOUR_MS,
        max: peerMost(front),
        id: (ctx) => ctx.get(CUSTOMER),
      }) as Middleware,
  }
  for (const middleware of mountsOf(front, fronts)) app.use(middleware)
  app.use((ctx) => {
    ctx.body = 'ok'
  })
  return createServer(app.callback())
}

/** The headers of a refusal that never changes. */
const STATIC = {
  'RateLimit-Policy': POLICY,
  RateLimit: STATE,
  'Retry-After': '3600',
  'Cache-Control': 'no-store',
  'Content-Type': 'application/json',
} as const

export const servers = { express: expressServer, fastify: fastifyServer, hono: honoServer, koa: koaServer }

export type Framework = keyof typeof servers
