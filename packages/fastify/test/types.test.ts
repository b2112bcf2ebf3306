import Fastify, { type FastifyRequest } from 'fastify'
import { expectTypeOf, it } from 'vitest'
import { type Outcome, perMinute, type RateLimitOptions, rateLimit } from '../src/index.js'

/*
 * What the compiler must and must not accept. `npm run typecheck` checks this file; run, it shows that nothing here throws.
 */

const limiter = rateLimit({ identify: (request) => request.headers['x-customer'] as string, limits: [perMinute(5)] })

it('types request.rail, and leaves parameters and bodies as they are', () => {
  Fastify().get<{ Params: { id: string } }>('/links/:id', async (request) => {
    expectTypeOf(request.rail).toEqualTypeOf<Outcome | undefined>()
    // @ts-expect-error: on a route that is not limited it is not there.
    request.rail.decision
    expectTypeOf(request.params).toEqualTypeOf<{ id: string }>()
    return limiter.of(request)?.decision?.allowed
  })
})

it('is a plugin and a hook for an app that speaks HTTP/2', () => {
  const app = Fastify({ http2: true })
  app.register(limiter)
  app.register(rateLimit, { identify: (request) => request.ip, limits: [perMinute(5)] })
  app.addHook('preHandler', limiter.with({ cost: 2 }))
  app.get('/links', { onRequest: limiter.with({ cost: 2 }) }, async (request) => limiter.of(request)?.decision?.allowed)
})

it('is a plugin that is checked with its options', () => {
  const app = Fastify()
  app.register(limiter)
  app.register(rateLimit, { identify: (request) => request.ip, limits: [perMinute(5)], hook: 'preHandler' })
  app.register(import('../src/index.js'), { identify: (request) => request.ip, limits: [perMinute(5)] })
  // @ts-expect-error: there is no default to whom a request is counted under.
  const withoutIdentify = () => app.register(rateLimit, { limits: [perMinute(5)] })
  // @ts-expect-error: no such hook.
  const wrongHook = () => app.register(rateLimit, { identify: () => 'a', limits: [perMinute(5)], hook: 'onSend' })
  // @ts-expect-error: it is a plugin, not a hook.
  const asHook = () => app.addHook('onRequest', rateLimit)
  expectTypeOf([withoutIdentify, wrongHook, asHook]).toBeArray()
})

it("checks a route's config", () => {
  const app = Fastify()
  app.get('/a', { config: { rail: false } }, async () => 'ok')
  app.get('/b', { config: { rail: { cost: 2, scope: 'writes', limits: [perMinute(1)] } } }, async () => 'ok')
  // What has no such name only the start of the app can refuse: Fastify infers the type of a config from it.
  // @ts-expect-error: a wrong value does not compile.
  app.get('/c', { config: { rail: { cost: '2' } } }, async () => 'ok')
})

it('gives the functions of a limiter the request of Fastify', () => {
  const options: RateLimitOptions = {
    identify: (request) => {
      expectTypeOf(request).toEqualTypeOf<FastifyRequest>()
      // @ts-expect-error: a wrong field does not compile.
      return request.customerr ?? 'acme'
    },
    limits: async (key, request) => {
      expectTypeOf(key).toEqualTypeOf<string>()
      expectTypeOf(request).toEqualTypeOf<FastifyRequest>()
      return [perMinute(1)]
    },
    cost: undefined,
    store: undefined,
    hook: undefined,
  }
  rateLimit(options)
})
