import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import * as onExpress from '@rail/express'
import * as onFastify from '@rail/fastify'
import * as onHono from '@rail/hono'
import * as onKoa from '@rail/koa'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'

/** A running API that lets one request through each second, and what came in when. */
export interface Api {
  readonly url: string
  /** Every request, with the moment that it came in, in milliseconds, and how it was answered. */
  readonly seen: { at: number; status: number }[]
  close(): void
}

export type Styles = onExpress.RateLimitOptions['headers']

type Listener = (req: IncomingMessage, res: ServerResponse) => void

const limits = [onExpress.perSecond(1)]

/** The same API on each adapter, with the headers of a style. */
export const adapters: Record<string, (headers: Styles) => Promise<Listener>> = {
  express: async (headers) => {
    const app = express()
    app.use(onExpress.rateLimit({ identify: () => 'acme', limits, headers }))
    app.use((_req, res) => {
      res.json({ ok: true })
    })
    return app
  },
  fastify: async (headers) => {
    const app = Fastify()
    await app.register(onFastify.rateLimit, { identify: () => 'acme', limits, headers })
    app.all('/*', async () => ({ ok: true }))
    await app.ready()
    return (req, res) => app.routing(req, res)
  },
  hono: async (headers) => {
    const app = new Hono()
    app.use(onHono.rateLimit({ identify: () => 'acme', limits, headers }))
    app.all('*', (c) => c.json({ ok: true }))
    return getRequestListener(app.fetch)
  },
  koa: async (headers) => {
    const app = new Koa()
    app.use(onKoa.rateLimit({ identify: () => 'acme', limits, headers }))
    app.use((ctx) => {
      ctx.body = { ok: true }
    })
    return app.callback()
  },
}

export async function serve(listener: Listener): Promise<Api> {
  const seen: Api['seen'] = []
  const server = createServer((req, res) => {
    const at = performance.now()
    res.on('finish', () => seen.push({ at, status: res.statusCode }))
    listener(req, res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
