import Fastify, { type FastifyInstance } from 'fastify'
import { describe, expect, test } from 'vitest'
import { createPlanBook, manualClock, perMinute, type RateLimitOptions, rateLimit } from '../src/index.js'

const options: RateLimitOptions = { identify: () => 'acme', limits: [perMinute(20)], clock: manualClock() }

describe('a limiter that is not registered', () => {
  test.each([
    ['rateLimit itself', rateLimit],
    ['the plugin that it makes', rateLimit(options)],
  ])('but added as a hook, %s, says so, and lets nobody through', async (_, hook) => {
    const app = Fastify()
    app.addHook('onRequest', hook as never)
    app.get('/', async () => 'ok')
    const response = await app.inject('/')
    expect([response.statusCode, response.json().message]).toEqual([
      500,
      expect.stringMatching(
        /^rateLimit: expected to be registered as a plugin, got an object\. Write await app\.register\(rateLimit, options\)/,
      ),
    ])
  })

  test('but called with nothing says what it takes', () => {
    expect(() => (rateLimit as unknown as () => void)()).toThrow(
      /^rateLimit\(\): expected an object of options, got undefined/,
    )
  })
})

describe('a mistyped', () => {
  test.each([
    [
      { hook: 'prehandler' },
      /^hook: expected 'onRequest' or 'preHandler', got "prehandler"\. Did you mean "preHandler"\?/,
    ],
    [{ hook: 'onrequest' }, /Did you mean "onRequest"\?/],
    [{ hook: 'onSend' }, /got "onSend"\.$/],
    [{ hook: true }, /got true/],
    [{ hok: 'preHandler' }, /^hok: not an option of rateLimit\(\)\. Did you mean "hook"\?/],
    [{ identfy: () => 'acme' }, /^identfy: not an option of rateLimit\(\)\. Did you mean "identify"\?/],
  ])('option %o is an error at start, with a suggestion', async (mistyped, words) => {
    const wrong = { ...options, ...mistyped } as RateLimitOptions
    await expect(async () => Fastify().register(rateLimit, wrong)).rejects.toThrow(words)
    expect(() => rateLimit(wrong)).toThrow(words)
  })

  test.each([
    [{ costs: 3 }, /^costs: not an option of config\.rail of route \/v1\/report\. Did you mean "cost"\?/],
    [{ limit: [perMinute(1)] }, /^limit: not an option of .*Did you mean "limits"\?/],
    [[perMinute(1)], /^config\.rail of route \/v1\/report: expected an object of options, got an array of 1/],
    [true, /^config\.rail of route \/v1\/report: expected false or an object, got true\. Write false, \{ cost \},/],
  ])("option of a route %o is an error at start, with the route's URL and a suggestion", async (rail, words) => {
    const app = await limited()
    expect(() => app.get('/v1/report', { config: { rail: rail as never } }, async () => 'ok')).toThrow(words)
  })
})

test.each([
  ['limits', [perMinute(1)]],
  ['prefix', '/v1'],
])('%s given to register() beside what rateLimit(options) returns is an error at start', async (name, value) => {
  const register = async (): Promise<unknown> => Fastify().register(rateLimit(options), { [name]: value } as never)
  await expect(register).rejects.toMatchObject({
    code: 'RAIL_UNKNOWN_OPTION',
    message: expect.stringMatching(`^${name}: not an option of register\\(\\).*Pass it to rateLimit`),
  })
})

describe("what a route's config leaves undefined is as good as left out:", () => {
  test.each([
    ['limits', { cost: 3, limits: undefined }, '"per_minute";r=17;t=9'],
    ['scope', { scope: undefined, limits: [perMinute(5)] }, '"per_minute";r=19;t=3, "/items/:id.per_minute";r=4;t=12'],
    ['cost', { cost: undefined }, '"per_minute";r=19;t=3'],
    ['rail itself', undefined, '"per_minute";r=19;t=3'],
  ])('%s', async (_, rail, state) => {
    const app = await limited()
    app.get('/items/:id', { config: { rail } }, async () => 'ok')
    expect((await app.inject('/items/7')).headers.ratelimit).toBe(state)
  })

  test('limits, where a plan book would be asked for those of the scope', async () => {
    const limits = createPlanBook({
      plans: { free: { limits: { per_minute: 5 }, scopes: { writes: { per_minute: 2 } } } },
      customers: { acme: { plan: 'free' } },
    })
    const app = await limited({ ...options, limits })
    app.get('/a', { config: { rail: { cost: 2, limits: undefined } } }, async () => 'ok')
    app.get('/b', { config: { rail: { scope: 'writes' } } }, async () => 'ok')
    expect((await app.inject('/a')).headers.ratelimit).toBe('"per_minute";r=3;t=24')
    expect((await app.inject('/b')).headers.ratelimit).toBe('"per_minute";r=2;t=36, "writes.per_minute";r=1;t=30')
  })
})

async function limited(given: RateLimitOptions = options): Promise<FastifyInstance> {
  const app = Fastify()
  await app.register(rateLimit, { ...given, clock: manualClock() })
  return app
}
