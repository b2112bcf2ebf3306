import type { FastifyInstance, fastify } from 'fastify'
import { fastify as oldest } from 'fastify-oldest'
import { describe, expect, test } from 'vitest'
import { manualClock, perMinute, type RateLimitOptions, rateLimit } from '../src/index.js'

// The oldest version that peerDependencies admit. Its types are its own; what is used of them here is the same.
const Fastify = oldest as unknown as typeof fastify

describe.each([
  ['rateLimit with its options', (app: FastifyInstance, options: RateLimitOptions) => app.register(rateLimit, options)],
  ['the plugin that it makes', (app: FastifyInstance, options: RateLimitOptions) => app.register(rateLimit(options))],
])('on Fastify 5.0 %s', (_, register) => {
  test('limits routes of every kind, each as its config says', async () => {
    const app = Fastify()
    app.get('/before', async () => 'ok')
    await register(app, { identify: () => 'acme', limits: [perMinute(9)], clock: manualClock() })
    app.get('/costly', { config: { rail: { cost: 3 } } }, async (request) => request.rail?.settle(2))
    app.get('/tight', { config: { rail: { limits: [perMinute(1)] } } }, async () => 'ok')
    app.get('/free', { config: { rail: false } }, async () => 'ok')
    const seen = []
    for (const url of ['/before', '/costly', '/missing', '/tight', '/tight', '/free']) {
      const { statusCode, headers } = await app.inject(url)
      seen.push([url, statusCode, headers.ratelimit])
    }
    expect(seen).toEqual([
      ['/before', 200, '"per_minute";r=8;t=7'],
      ['/costly', 200, '"per_minute";r=6;t=20'],
      ['/missing', 404, '"per_minute";r=5;t=27'],
      ['/tight', 200, '"per_minute";r=4;t=34, "/tight.per_minute";r=0;t=60'],
      ['/tight', 429, '"per_minute";r=4;t=34, "/tight.per_minute";r=0;t=60'],
      ['/free', 200, undefined],
    ])
  })
})
