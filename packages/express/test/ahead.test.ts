import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express5, { type Express, type RequestHandler, type Response } from 'express'
// @ts-expect-error: the alias has no types; those of Express 5 serve.
import express4 from 'express4'
import { describe, expect, it, onTestFinished } from 'vitest'
import { manualClock, perMinute, type RateLimit, rateLimit } from '../src/index.js'

type Build = (app: Express, limiter: RateLimit, express: typeof express5) => void

type Case = [string, Build, string?, string?]

const ok = (_req: unknown, res: Response): void => void res.send('ok')

/** `Retry-After` of a request that `app.use(limiter)` refuses: 1 s is the wait for its own cost. */
async function announced(express: typeof express5, build: Build, path = '/a/report', method = 'GET'): Promise<unknown> {
  const limiter = rateLimit({ identify: () => 'acme', limits: [perMinute(60)], clock: manualClock() })
  const app = express()
  app.get('/empty', limiter.with({ cost: 60 }), ok)
  build(app, limiter, express)
  const server = createServer(app).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const get = (at: string, by = 'GET') =>
    fetch(`http://127.0.0.1:${port}${at}`, { method: by, headers: { connection: 'close' } })
  expect((await get('/empty')).status).toBe(200)
  const { status, headers } = await get(path, method)
  return status === 429 ? Number(headers.get('Retry-After')) : status
}

const known: readonly Case[] = [
  ['app.get', (app, limiter) => app.use(limiter).get('/a/report', limiter.with({ cost: 30 }), ok)],
  ['app.all, with a parameter', (app, limiter) => app.use(limiter).all('/:any/report', limiter.with({ cost: 30 }), ok)],
  [
    'app.route',
    (app, limiter) =>
      app
        .use(limiter)
        .route('/a/report')
        .post(ok)
        .get(limiter.with({ cost: 30 }), ok),
  ],
  [
    'HEAD on GET',
    (app, limiter) => app.use(limiter).get('/a/report', limiter.with({ cost: 30 }), ok),
    '/A/report/?q',
    'HEAD',
  ],
  [
    'app.use with a path',
    (app, limiter) =>
      app
        .use(limiter)
        .use('/a', limiter.with({ cost: 30 }))
        .use(ok),
  ],
  [
    'routers in routers, mounted with a parameter',
    (app, limiter, express) => {
      const inner = express.Router().get('/report', [limiter.with({ cost: 30 })], ok)
      app.use(limiter).use('/', express.Router().use('/:any', inner))
    },
  ],
  [
    'a router that the limiter is mounted on',
    (app, limiter, express) =>
      app.use(
        '/a',
        express
          .Router()
          .use(limiter)
          .get('/report', limiter.with({ cost: 30 }), ok),
      ),
  ],
  [
    'an application that the limiter is mounted on',
    (app, limiter, express) => {
      const inner = express().use(limiter)
      app.use('/a', inner.get('/report', limiter.with({ cost: 30 }), ok))
    },
  ],
  [
    'a route behind a wrapped middleware, which takes any arguments',
    (app, limiter) => {
      const wrapped = ((...given: Parameters<RequestHandler>) => given[2]()) as RequestHandler
      app.use(limiter).get('/a/report', wrapped, limiter.with({ cost: 30 }), ok)
    },
  ],
]

// What is announced there is longer than needed; docs/guides/costs.md says so.
const left: readonly Case[] = [
  [
    'a route that is left by next("route")',
    (app, limiter) =>
      app
        .use(limiter)
        .get('/a/report', (_req, _res, next) => next('route'), limiter.with({ cost: 30 }), ok)
        .get('/a/report', ok),
  ],
]

const own: readonly Case[] = [
  ['another route', (app, limiter) => app.use(limiter).get('/a/report', limiter.with({ cost: 30 }), ok), '/a/other'],
  ['another method', (app, limiter) => app.use(limiter).post('/a/report', limiter.with({ cost: 30 }), ok)],
  [
    'another limiter',
    (app, limiter) =>
      app
        .use(limiter)
        .get('/a/report', rateLimit({ identify: () => 'b', limits: [perMinute(9)] }).with({ cost: 9 }), ok),
  ],
  [
    'a route behind one that answers',
    (app, limiter) =>
      app
        .use(limiter)
        .get('/a/report', ok)
        .get('/a/report', limiter.with({ cost: 30 }), ok),
  ],
  [
    'a path that cannot be decoded',
    (app, limiter) => app.use(limiter).get('/a/:id', limiter.with({ cost: 30 }), ok),
    '/a/%zz',
  ],
  // What cannot be known; docs/guides/costs.md says so.
  [
    'a mounted application, whose routes Express hides',
    (app, limiter, express) => app.use(limiter).use('/a', express().get('/report', limiter.with({ cost: 30 }), ok)),
  ],
  [
    'a middleware that a function calls',
    (app, limiter) => {
      const costly = limiter.with({ cost: 30 })
      app.use(limiter).get('/a/report', (req, res, next) => costly(req, res, next), ok)
    },
  ],
  [
    'a cost by a parameter of the route',
    (app, limiter) =>
      app.use(limiter).get('/a/:id', limiter.with({ cost: ({ params }) => (params.id === 'report' ? 30 : 1) }), ok),
  ],
  [
    'a route whose URL an earlier middleware writes',
    (app, limiter) => {
      const rewrite: RequestHandler = (req, _res, next) => {
        req.url = '/a/costly'
        next()
      }
      app
        .use(limiter)
        .use(rewrite)
        .get('/a/costly', limiter.with({ cost: 30 }), ok)
    },
  ],
  [
    'a route behind a middleware whose next has a default',
    (app, limiter) => {
      const pass = ((_req: unknown, _res: unknown, next = () => {}) => next()) as RequestHandler
      app
        .use(limiter)
        .use(pass)
        .get('/a/report', limiter.with({ cost: 30 }), ok)
    },
  ],
  [
    'a cost that an earlier middleware sets',
    (app, limiter) => {
      const costly = limiter.with({ cost: ({ res }) => res?.locals.cost ?? 1 })
      app.use(limiter).get(
        '/a/report',
        (_req, res, next) => {
          res.locals.cost = 30
          next()
        },
        costly,
        ok,
      )
    },
  ],
]

describe.each([
  ['Express 5', express5],
  ['Express 4', express4 as unknown as typeof express5],
])('%s: a refusal by the mount in front announces', (_, express) => {
  it.each([...known, ...left])('the wait of the route: %s', async (_name, build, path, method) => {
    expect(await announced(express, build, path, method)).toBe(30)
  })

  it.each(own)('its own wait: %s', async (_name, build, path, method) => {
    expect(await announced(express, build, path, method)).toBe(1)
  })
})
