import { listen } from '@rail/conformance'
import express, { type Response } from 'express'
import { expect, test } from 'vitest'
import { manualClock, perMinute, type RateLimitOptions, rateLimit } from '../src/index.js'

test.each<readonly [string, NonNullable<RateLimitOptions['onReject']>]>([
  ['at once', (_refusal, req) => void (req.res as Response).status(420).end('calm')],
  ['later', async (_refusal, req) => void (req.res as Response).status(420).send('calm')],
  ['and returns the response', (_refusal, req) => (req.res as Response).status(420).end('calm') as never],
  [
    'and returns a body, too',
    (_refusal, req) => {
      ;(req.res as Response).status(420).end('calm')
      return { text: 'calm' }
    },
  ],
  ['by a head alone', (_refusal, req) => void (req.res as Response).writeHead(420)],
  ['by a head alone, later', async (_refusal, req) => void (req.res as Response).writeHead(420)],
])(
  'an onReject that answers through the response, %s, is reported, and its answer has the headers',
  async (_, onReject) => {
    const reported: unknown[] = []
    const app = express()
    const onError = (error: unknown): unknown => reported.push(error)
    app.use(rateLimit({ identify: () => 'acme', limits: [perMinute(1)], clock: manualClock(), onReject, onError }))
    app.get('/', (_req, res) => void res.send('ok'))
    const server = await listen(app)
    try {
      await fetch(server.url)
      const { status, headers } = await fetch(server.url)
      expect([status, headers.get('RateLimit'), headers.get('Retry-After')]).toEqual([
        420,
        '"per_minute";r=0;t=60',
        '60',
      ])
      expect(reported).toContainEqual(
        expect.objectContaining({
          code: 'RAIL_HOOK_FAILED',
          message:
            'onReject(): expected to return { json } or { text, type? }, got an answer through the response. Return the body. ' +
            'Status and headers are those of the limiter.',
        }),
      )
    } finally {
      await server.stop()
    }
  },
)
