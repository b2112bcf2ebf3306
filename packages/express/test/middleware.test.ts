import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Request, type Response } from 'express'
import { expect, it } from 'vitest'
import { manualClock, perMinute, rateLimit } from '../src/index.js'

// What only Express has; what all adapters share is tested by testAdapter.

const options = { identify: () => 'acme', limits: [perMinute(1)], clock: manualClock() }

it('has a name, for stack traces, and three parameters: with four it would be an error handler', () => {
  const limiter = rateLimit(options)
  expect([limiter.name, limiter.length]).toEqual(['rateLimitMiddleware', 3])
})

it('calls next once, even where it throws', () => {
  let called = 0
  const next = (): never => {
    called++
    throw new Error('the next middleware failed')
  }
  const [req, res] = [{ method: 'GET' }, { writeHead: () => {} }] as unknown as [Request, Response]
  expect(() => rateLimit(options)(req, res, next)).toThrow('the next middleware failed')
  expect(called).toBe(1)
})

it('that was mounted without being called says so, and lets nobody through', async () => {
  const app = express()
  const failed: Error[] = []
  app.use(rateLimit as never)
  app.get('/', (_req, res) => void res.send('ok'))
  app.use(((error, _req, res, _next) => {
    failed.push(error)
    res.sendStatus(500)
  }) satisfies express.ErrorRequestHandler)
  expect(await statuses(app, ['/'])).toEqual([500])
  expect(failed[0]?.message).toMatch(/not an option of rateLimit\(\)\. Call rateLimit\(\), and mount what it returns/)
})

it('limits a single route by itself', async () => {
  const limiter = rateLimit(options)
  const app = express()
  app.get('/costly', limiter.with({ cost: 1 }), (_req, res) => void res.send('ok'))
  app.get('/', (_req, res) => void res.send('ok'))
  expect(await statuses(app, ['/costly', '/costly', '/', '/'])).toEqual([200, 429, 200, 200])
})

it('refuses HEAD on a server that forbids to write bodies where there is none', async () => {
  const app = express()
  app.use(rateLimit(options))
  app.get('/', (_req, res) => void res.end())
  expect(await statuses(app, ['/', '/'], 'HEAD')).toEqual([200, 429])
})

it.each([
  ['an application that is mounted', (inner: express.Express) => express().use('/sub', inner)],
  [
    'one that a handler calls',
    (inner: express.Express) => express().use('/sub', (req, res, next) => inner(req, res, next)),
  ],
])('counts a request once, also in %s', async (_, mount) => {
  const limiter = rateLimit({ identify: () => 'acme', limits: [perMinute(3)], clock: manualClock() })
  const inner = express()
  inner.get('/', limiter, limiter.with({ cost: 2 }), (_req, res) => void res.send('ok'))
  const app = express().use(limiter, mount(inner))
  expect(await statuses(app, ['/sub', '/sub', '/', '/'])).toEqual([200, 429, 404, 429])
})

it('whoever wraps end can still add a field to a refusal', async () => {
  const app = express()
  app.use((_req, res, next) => {
    const end = res.end.bind(res) as (body?: unknown) => Response
    res.end = ((body?: unknown) => end.call(res.set('Server-Timing', 'app'), body)) as Response['end']
    next()
  })
  app.use(rateLimit(options))
  app.get('/', (_req, res) => void res.end('ok'))
  expect(await statuses(app, ['/', '/'])).toEqual([200, 429])
})

async function statuses(app: express.Express, paths: readonly string[], method = 'GET'): Promise<number[]> {
  const server = createServer({ rejectNonStandardBodyWrites: true }, app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const seen: number[] = []
  for (const path of paths) {
    seen.push(
      await new Promise((resolve, reject) => {
        const asked = request({ port, path, method, host: '127.0.0.1' }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode as number))
        })
        asked.on('error', reject).end()
      }),
    )
  }
  server.closeAllConnections()
  server.close()
  return seen
}
