import { createServer, type Server } from 'node:http'
import fastifyPeer from '@fastify/rate-limit'
import { getRequestListener } from '@hono/node-server'
import { type Limit, perDay, perHour, perMinute, perSecond } from '@rail/core'
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

/**
 * What stands in front of the route. `again` is a second server with nothing: the noise of the measurement. `fields` sends
 * two fields of limits that never change: the least that a limiter can add.
 */
export type Front = 'bare' | 'again' | 'no-op' | 'fields' | 'rail' | 'peer' | 'rail, refused' | 'peer, refused'

/** A server of a framework with one route, `GET /hello`, that answers `ok`. */
export type MakeServer = (front: Front) => Server | Promise<Server>

const OPEN: readonly Limit[] = [perSecond(10_000_000), perMinute(100_000_000)]
const SHUT: readonly Limit[] = [perHour(1), perDay(1)]
const HOUR_MS = 3_600_000
const POLICY = '"per_second";q=10000000;w=1, "per_minute";q=100000000;w=60'
const STATE = '"per_second";r=9999999;t=0, "per_minute";r=99999999;t=0'
const most = (front: Front): number => (front === 'peer' ? 1e9 : 1)
const limitsOf = (front: Front): readonly Limit[] => (front === 'rail' ? OPEN : SHUT)

const expressServer: MakeServer = (front) => {
  const app = express()
  const fronts: Record<Front, () => RequestHandler | undefined> = {
    bare: () => undefined,
    again: () => undefined,
    'no-op': () => (_req, _res, next) => next(),
    fields: () => (_req, res, next) => {
      res.setHeader('RateLimit-Policy', POLICY)
      res.setHeader('RateLimit', STATE)
      next()
    },
    rail: () => railExpress({ identify: (req) => req.get('x-customer') ?? null, limits: limitsOf(front) }),
    peer: () =>
      expressPeer({
        windowMs: HOUR_MS,
        limit: most(front),
        standardHeaders: 'draft-7',
        legacyHeaders: false,
        keyGenerator: (req) => req.get('x-customer') ?? '',
      }),
    'rail, refused': () => fronts.rail(),
    'peer, refused': () => fronts.peer(),
  }
  const middleware = fronts[front]()
  if (middleware !== undefined) app.use(middleware)
  app.get('/hello', (_req, res) => {
    res.send('ok')
  })
  return createServer(app)
}

const fastifyServer: MakeServer = async (front) => {
  const app = fastify()
  const fronts: Record<Front, (instance: FastifyInstance) => unknown> = {
    bare: () => undefined,
    again: () => undefined,
    'no-op': (instance) => instance.addHook('onRequest', (_request, _reply, done) => done()),
    fields: (instance) =>
      instance.addHook('onRequest', (_request, reply, done) => {
        reply.header('RateLimit-Policy', POLICY)
        reply.header('RateLimit', STATE)
        done()
      }),
    rail: (instance) =>
      instance.register(railFastify, {
        identify: (request) => String(request.headers['x-customer']),
        limits: limitsOf(front),
      }),
    peer: (instance) =>
      instance.register(fastifyPeer, {
        max: most(front),
        timeWindow: HOUR_MS,
        cache: 40_000,
        keyGenerator: (request) => String(request.headers['x-customer']),
      }),
    'rail, refused': (instance) => fronts.rail(instance),
    'peer, refused': (instance) => fronts.peer(instance),
  }
  await fronts[front](app)
  app.get('/hello', (_request, reply) => {
    reply.send('ok')
  })
  await app.ready()
  return app.server
}

const honoServer: MakeServer = (front) => {
  const app = new Hono()
  const fronts: Record<Front, () => MiddlewareHandler | undefined> = {
    bare: () => undefined,
    again: () => undefined,
    'no-op': () => async (_c, next) => {
      await next()
    },
    fields: () => async (c, next) => {
      c.header('RateLimit-Policy', POLICY)
      c.header('RateLimit', STATE)
      await next()
    },
    rail: () => railHono({ identify: (c) => c.req.header('x-customer') ?? null, limits: limitsOf(front) }),
    peer: () =>
      honoPeer({ windowMs: HOUR_MS, limit: most(front), keyGenerator: (c) => c.req.header('x-customer') ?? '' }),
    'rail, refused': () => fronts.rail(),
    'peer, refused': () => fronts.peer(),
  }
  const middleware = fronts[front]()
  if (middleware !== undefined) app.use(middleware)
  app.get('/hello', (c) => c.text('ok'))
  return createServer(getRequestListener(app.fetch))
}

const koaServer: MakeServer = (front) => {
  const app = new Koa()
  const fronts: Record<Front, () => Middleware | undefined> = {
    bare: () => undefined,
    again: () => undefined,
    'no-op': () => (_ctx, next) => next(),
    fields: () => (ctx, next) => {
      ctx.set('RateLimit-Policy', POLICY)
      ctx.set('RateLimit', STATE)
      return next()
    },
    rail: () => railKoa({ identify: (ctx) => ctx.get('x-customer'), limits: limitsOf(front) }),
    peer: () =>
      koaPeer({
        driver: 'memory',
        db: new Map(),
        duration: HOUR_MS,
        max: most(front),
        id: (ctx) => ctx.get('x-customer'),
      }) as Middleware,
    'rail, refused': () => fronts.rail(),
    'peer, refused': () => fronts.peer(),
  }
  const middleware = fronts[front]()
  if (middleware !== undefined) app.use(middleware)
  app.use((ctx) => {
    ctx.body = 'ok'
  })
  return createServer(app.callback())
}

export const servers = { express: expressServer, fastify: fastifyServer, hono: honoServer, koa: koaServer }

export type Framework = keyof typeof servers
