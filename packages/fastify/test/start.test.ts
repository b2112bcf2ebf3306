import Fastify, { type FastifyInstance, type fastify } from 'fastify'
import { fastify as oldest } from 'fastify-oldest'
import { describe, expect, test } from 'vitest'
import { manualClock, perMinute, type RateLimitOptions, rateLimit } from '../src/index.js'

const options: RateLimitOptions = { identify: () => 'acme', limits: [perMinute(20)], clock: manualClock() }
const WRONG = { costs: 3 }

function route(app: FastifyInstance, rail: object | boolean = WRONG): void {
  app.get('/report', { config: { rail: rail as never } }, async () => 'ok')
}

/** Applications with a wrong `config.rail`, by where the limiter is. */
const APPS: readonly (readonly [string, (app: FastifyInstance) => unknown])[] = [
  [
    'before the plugin',
    (app) => {
      route(app)
      app.register(rateLimit, options)
    },
  ],
  [
    'behind a plugin that is not awaited',
    (app) => {
      app.register(rateLimit, options)
      route(app)
    },
  ],
  [
    'before a plugin that is made first',
    (app) => {
      route(app)
      app.register(rateLimit(options))
    },
  ],
  [
    'in a child, before the plugin of its parent',
    (app) => {
      app.register(async (child) => route(child))
      app.register(rateLimit, options)
    },
  ],
  [
    'in a child, before its own plugin',
    (app) =>
      app.register(async (child) => {
        route(child)
        await child.register(rateLimit, options)
      }),
  ],
  [
    'of a limiter in the parent that is right, and of one in the child that is not',
    (app) => {
      app.register(rateLimit, options)
      app.register(async (child) => {
        route(child, { limits: [perMinute(1)], scope: 'writes' })
        child.get('/other', { config: { rail: { limits: [perMinute(2)], scope: 'writes' } } }, async () => 'ok')
        child.register(rateLimit, { ...options, limits: [perMinute(9, { name: 'other' })] })
      })
    },
  ],
]

describe.each([
  ['the newest Fastify', Fastify],
  ['the oldest Fastify', oldest as unknown as typeof fastify],
])('on %s a wrong config.rail is an error at start, whatever the order', (_, make) => {
  test.each(APPS)('%s', async (_, build) => {
    const app = make()
    build(app)
    await expect(app.ready()).rejects.toMatchObject({ name: 'RailError' })
  })

  test.each([
    [true, /^config\.rail of route \/report: expected false or an object, got true/],
    [{ limits: perMinute(1) }, /^limits: expected an array of limits, or a function/],
    [{ cost: 21 }, /^cost: expected at most 20/],
    [WRONG, /^costs: not an option of config\.rail of route \/report\. Did you mean "cost"\?/],
  ])('%o, with a message that says what is wrong', async (rail, words) => {
    const app = make()
    route(app, rail)
    app.register(rateLimit, options)
    await expect(app.inject('/report')).rejects.toThrow(words)
  })
})

describe('config.rail of a route that no limiter is in front of is an error at start', () => {
  test.each<readonly [string, (app: FastifyInstance) => unknown]>([
    ['in an application without one', (app) => route(app, { cost: 3 })],
    [
      'outside of the context of the only one',
      (app) => {
        route(app, { cost: 3 })
        app.register(async (child) => void child.register(rateLimit, options))
      },
    ],
  ])('%s', async (_, build) => {
    const app = Fastify()
    build(app)
    await expect(app.ready()).rejects.toThrow(
      /^config\.rail of route \/report: expected a limiter in the context of the route, got none\. Write await app\.reg/,
    )
  })

  test('but false is none, because the route is not limited either way', async () => {
    const app = Fastify()
    route(app, false)
    expect((await app.inject('/report')).statusCode).toBe(200)
  })
})
