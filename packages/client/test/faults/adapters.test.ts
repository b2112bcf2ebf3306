import { getRequestListener } from '@hono/node-server'
import { type HeaderStyle, type Limit, perMinute } from '@rail/core'
import * as rail from '@rail/express'
import * as railFastify from '@rail/fastify'
import * as railHono from '@rail/hono'
import * as railKoa from '@rail/koa'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { describe, expect, it } from 'vitest'
import { type ClientOptions, createClient } from '../../src/index.js'
import { type Listening, listen } from '../support/sockets.js'
import { seeded, World } from '../support/world.js'

interface Limited {
  readonly limits: readonly Limit[]
  readonly headers: HeaderStyle | false
  readonly clock: () => number
}

/** An app of each framework, with one limit for everyone. */
const apps: Record<string, (limited: Limited) => Promise<Listening>> = {
  Express: (limited) => {
    const app = express()
    app.use(rail.rateLimit({ identify: () => 'me', ...limited }))
    app.get('/', (_req, res) => {
      res.json({})
    })
    return listen(app)
  },
  Fastify: async (limited) => {
    const app = Fastify()
    await app.register(railFastify.rateLimit, { identify: () => 'me', ...limited })
    app.get('/', async () => ({}))
    await app.ready()
    return listen((req, res) => app.routing(req, res))
  },
  Hono: (limited) => {
    const app = new Hono()
    app.use(railHono.rateLimit({ identify: () => 'me', ...limited }))
    app.get('/', (c) => c.json({}))
    return listen(getRequestListener(app.fetch))
  },
  Koa: (limited) => {
    const app = new Koa()
    app.use(railKoa.rateLimit({ identify: () => 'me', ...limited }))
    app.use((ctx) => {
      ctx.body = {}
    })
    return listen(app.callback())
  },
}

const styles: readonly HeaderStyle[] = [rail.draft11, rail.draft7, rail.draft6, rail.xRateLimit]
const EPOCH = Date.UTC(2026, 0, 1)
const LATENCY_MS = 80

/** Calls over a real socket, on a server whose clock is the client's; answers overtake each other. */
async function course(
  start: (limited: Limited) => Promise<Listening>,
  headers: HeaderStyle | false,
  callers: number,
  requests: number,
  options?: ClientOptions,
) {
  const world = new World(EPOCH)
  const random = seeded(1)
  const server = await start({ limits: [perMinute(100)], headers, clock: world.clock })
  const statuses: number[] = []
  const client = createClient({
    clock: world.clock,
    timer: world.timer,
    random,
    ...options,
    fetch: async (input, init) => {
      await world.sleep(random() * LATENCY_MS)
      const answer = await world.really(async () => {
        const response = await fetch(input, init)
        statuses.push(response.status)
        // Node writes the system's date, which is not the time of this test.
        const sent = new Headers(response.headers)
        sent.delete('Date')
        return new Response(await response.arrayBuffer(), { status: response.status, headers: sent })
      })
      await world.sleep(random() * LATENCY_MS)
      return answer
    },
  })
  let left = requests
  const caller = async (): Promise<void> => {
    while (left-- > 0) expect((await client(server.url)).status).toBe(200)
  }
  try {
    await world.until(Promise.all(Array.from({ length: callers }, caller)))
  } finally {
    await server.close()
  }
  return { statuses, tookMs: world.now - EPOCH }
}

describe.each(Object.entries(apps))('a server with @rail for %s, 100 a minute', (_, start) => {
  it.each(styles)('never refuses a client that reads $name, with 20 callers', async (headers) => {
    const { statuses, tookMs } = await course(start, headers, 20, 150)
    expect(statuses).toEqual(Array(150).fill(200))
    // 100 at once at most, then 100 a minute; and a fifth is kept in reserve.
    expect(tookMs).toBeGreaterThan(29_000)
    expect(tookMs).toBeLessThan(45_000)
  })

  it('allows a client without pacing again after exactly Retry-After', async () => {
    const { statuses } = await course(start, rail.draft11, 1, 150, { pace: false, spread: 0, jitter: 0 })
    expect(statuses.filter((status) => status === 200)).toHaveLength(150)
    expect(statuses).toContain(429)
    expect(statuses.join()).not.toContain('429,429')
  })

  it('serves all of many callers without pacing, and refuses few of them more than once', async () => {
    const { statuses } = await course(start, false, 20, 130, { pace: false, retries: 100 })
    expect(statuses.filter((status) => status === 200)).toHaveLength(130)
    expect(statuses.filter((status) => status === 429).length).toBeLessThan(60)
  })
})
