import fastifyRateLimit from '@fastify/rate-limit'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import { type Options, rateLimit } from 'express-rate-limit'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { rateLimiter } from 'hono-rate-limiter'
import Koa from 'koa'
// @ts-expect-error It has no types of its own, and those of others are for an older version.
import koaRateLimit from 'koa-ratelimit'
import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/index.js'
import { type Listening, listen } from '../support/sockets.js'

/** Each of them lets 20 requests in within 2 seconds. */
const [QUOTA, WINDOW_MS] = [20, 2_000]

async function expressApp(options: Partial<Options>): Promise<Listening> {
  const app = express()
  app.use(rateLimit({ windowMs: WINDOW_MS, limit: QUOTA, validate: false, legacyHeaders: false, ...options }))
  app.get('/', (_req, res) => {
    res.json({})
  })
  return listen(app)
}

async function fastifyApp(options: object): Promise<Listening> {
  const app = Fastify()
  await app.register(fastifyRateLimit, { max: QUOTA, timeWindow: WINDOW_MS, ...options })
  app.get('/', async () => ({}))
  await app.ready()
  return listen((req, res) => app.routing(req, res))
}

async function honoApp(standardHeaders: 'draft-6' | 'draft-7'): Promise<Listening> {
  const app = new Hono()
  app.use(rateLimiter({ windowMs: WINDOW_MS, limit: QUOTA, keyGenerator: () => 'me', standardHeaders }))
  app.get('/', (c) => c.json({}))
  return listen(getRequestListener(app.fetch))
}

async function koaApp(): Promise<Listening> {
  const app = new Koa()
  app.use(koaRateLimit({ driver: 'memory', db: new Map(), max: QUOTA, duration: WINDOW_MS, id: () => 'me' }))
  app.use((ctx) => {
    ctx.body = {}
  })
  return listen(app.callback())
}

/** Refusals that are not a storm: reset times are sent in whole seconds, some rounded down. */
const FEW = 3

const peers: readonly (readonly [string, { start: () => Promise<Listening>; most: number }])[] = [
  ['express-rate-limit, draft-6', { start: () => expressApp({ standardHeaders: 'draft-6' }), most: FEW }],
  ['express-rate-limit, draft-7', { start: () => expressApp({ standardHeaders: 'draft-7' }), most: FEW }],
  ['express-rate-limit, draft-8', { start: () => expressApp({ standardHeaders: 'draft-8' }), most: FEW }],
  ['express-rate-limit, X-RateLimit', { start: () => expressApp({ legacyHeaders: true }), most: FEW }],
  // Without Retry-After, too: all there is to go by are the refusals.
  ['express-rate-limit, no headers at all', { start: () => expressApp({}), most: 30 }],
  ['@fastify/rate-limit, X-RateLimit', { start: () => fastifyApp({}), most: FEW }],
  ['@fastify/rate-limit, draft-6', { start: () => fastifyApp({ enableDraftSpec: true }), most: FEW }],
  ['hono-rate-limiter, draft-6', { start: () => honoApp('draft-6'), most: FEW }],
  ['hono-rate-limiter, draft-7', { start: () => honoApp('draft-7'), most: FEW }],
  ['koa-ratelimit', { start: koaApp, most: FEW }],
]

// The one place where time is real: these servers take no clock.
describe('against a server that is not ours, 60 calls at once make no storm:', () => {
  it.concurrent.each(peers)(
    '%s',
    async (_, { start, most }) => {
      const server = await start()
      const statuses: number[] = []
      const client = createClient({
        retries: 20,
        fetch: async (input, init) => {
          const response = await fetch(input, init)
          statuses.push(response.status)
          return response
        },
      })
      try {
        const served = await Promise.all(Array.from({ length: 60 }, async () => (await client(server.url)).status))
        expect(served).toEqual(Array(60).fill(200))
        expect(statuses.filter((status) => status === 429).length).toBeLessThanOrEqual(most)
      } finally {
        await server.close()
      }
    },
    60_000,
  )
})
