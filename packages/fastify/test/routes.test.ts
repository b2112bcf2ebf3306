import Fastify, { type FastifyInstance } from 'fastify'
import { describe, expect, test } from 'vitest'
import plugin, {
  type Limit,
  limit,
  manualClock,
  perMinute,
  type RateLimit,
  type RateLimitOptions,
  rateLimit,
} from '../src/index.js'

const options = (limits: Limit[], more: Partial<RateLimitOptions> = {}): RateLimitOptions =>
  ({ identify: () => 'acme', limits, clock: manualClock(), ...more }) as RateLimitOptions

async function field(app: FastifyInstance, url: string, method: 'GET' | 'POST' | 'HEAD' = 'GET') {
  return (await app.inject({ url, method })).headers.ratelimit
}

describe('a Fastify plugin', () => {
  test('is there as a default export too, for register(import(…))', () => {
    expect(plugin).toBe(rateLimit)
  })

  test('limits the context that it is registered in and its children, and no other', async () => {
    const app = Fastify()
    app.get('/outside', async () => 'ok')
    await app.register(async (child) => {
      await child.register(rateLimit, options([perMinute(5)]))
      child.get('/inside', async () => 'ok')
      await child.register(async (grandchild) => {
        grandchild.get('/deeper', async () => 'ok')
      })
    })
    expect(await field(app, '/outside')).toBeUndefined()
    expect(await field(app, '/inside')).toBe('"per_minute";r=4;t=12')
    expect(await field(app, '/deeper')).toBe('"per_minute";r=3;t=24')
  })

  test('registered again in a child with the same options counts a request once, with others twice', async () => {
    const app = Fastify()
    const same = options([perMinute(5)])
    await app.register(rateLimit, same)
    await app.register(async (child) => {
      await child.register(rateLimit, same)
      child.get('/same', async () => 'ok')
    })
    await app.register(async (child) => {
      await child.register(rateLimit, options([perMinute(9, { name: 'other' })]))
      child.get('/other', async () => 'ok')
    })
    expect(await field(app, '/same')).toBe('"per_minute";r=4;t=12')
    expect(await field(app, '/other')).toBe('"per_minute";r=3;t=24, "other";r=8;t=7')
  })

  test('registered with equal options in a child of its context counts a request once, in a sibling for itself', async () => {
    const { identify, clock } = { identify: () => 'acme', clock: manualClock() }
    const equal = () => ({ identify, clock, limits: [perMinute(5)] })
    const app = Fastify()
    await app.register(async (parent) => {
      await parent.register(rateLimit, equal())
      await parent.register(async (child) => {
        await child.register(rateLimit, equal())
        child.get('/child', async () => 'ok')
      })
    })
    await app.register(async (sibling) => {
      await sibling.register(rateLimit, equal())
      sibling.get('/sibling', async () => 'ok')
    })
    expect(await field(app, '/child')).toBe('"per_minute";r=4;t=12')
    expect(await field(app, '/sibling')).toBe('"per_minute";r=4;t=12')
    expect(await field(app, '/child')).toBe('"per_minute";r=3;t=24')
  })

  test("a refusal by the plugin announces the wait of the route's own hooks", async () => {
    const limiter = rateLimit(options([perMinute(20)]))
    const app = Fastify()
    await app.register(limiter)
    const writes = limiter.with({ scope: 'writes', limits: [perMinute(1)] })
    app.post('/writes', { onRequest: writes, preHandler: [limiter.with({ cost: 2 })] }, async () => 'ok')
    await app.inject({ method: 'POST', url: '/writes' })
    for (let other = 0; other < 18; other++) await app.inject('/')
    const { statusCode, headers } = await app.inject({ method: 'POST', url: '/writes' })
    expect([statusCode, headers['retry-after'], (await app.inject('/')).headers['retry-after']]).toEqual([
      429,
      '60',
      '3',
    ])
  })

  // docs/guides/costs.md says so.
  test.each<readonly [string, (app: FastifyInstance, limiter: RateLimit) => unknown]>([
    [
      'on a route that is declared before the plugin is loaded',
      (app, limiter) => {
        app.register(limiter)
        app.get('/costly', { onRequest: limiter.with({ cost: 20 }) }, async () => 'ok')
      },
    ],
    [
      'that addHook adds',
      async (app, limiter) => {
        await app.register(limiter)
        app.addHook('onRequest', limiter.with({ cost: 20 }))
        app.get('/costly', async () => 'ok')
      },
    ],
  ])('a refusal by the plugin announces its own wait, where the hook is one %s', async (_, build) => {
    const limiter = rateLimit(options([perMinute(20)]))
    const app = Fastify()
    app.get('/empty', { onRequest: limiter.with({ cost: 20 }) }, async () => 'ok')
    await build(app, limiter)
    await app.inject('/empty')
    expect((await app.inject('/costly')).headers['retry-after']).toBe('3')
  })

  test('registered with the same options in a child first, and in its parent and a sibling, is one limiter all the same', async () => {
    const app = Fastify()
    const same = options([perMinute(5)])
    for (const url of ['/first', '/second']) {
      app.register(async (child) => {
        await child.register(rateLimit, same)
        child.get(url, async () => 'ok')
      })
    }
    await app.register(rateLimit, same)
    expect(await field(app, '/first')).toBe('"per_minute";r=4;t=12')
    expect(await field(app, '/second')).toBe('"per_minute";r=3;t=24')
    expect(await field(app, '/missing')).toBe('"per_minute";r=2;t=36')
  })

  test('two applications with the same options share nothing', async () => {
    const same = options([perMinute(5)])
    for (const app of [Fastify(), Fastify()]) {
      await app.register(rateLimit, same)
      expect(await field(app, '/')).toBe('"per_minute";r=4;t=12')
    }
  })

  test('does not wait to be awaited: no route is silently unlimited', async () => {
    const app = Fastify()
    app.get('/before', async () => 'ok')
    app.register(rateLimit, options([perMinute(5)]))
    app.get('/after', async () => 'ok')
    expect(await field(app, '/before')).toBe('"per_minute";r=4;t=12')
    expect(await field(app, '/after')).toBe('"per_minute";r=3;t=24')
  })

  test('refuses wrong options when it is registered', async () => {
    await expect(async () => Fastify().register(rateLimit, { limits: [] } as never)).rejects.toThrow(
      /^identify: expected a function/,
    )
    const unknownHook = options([perMinute(1)], { hook: 'onSend' as never })
    await expect(async () => Fastify().register(rateLimit, unknownHook)).rejects.toThrow(/onRequest.*onSend/)
  })

  test('authentication that comes after a hook of onRequest fails loudly, and before one of preHandler works', async () => {
    for (const [hook, status] of [
      ['onRequest', 500],
      ['preHandler', 200],
    ] as const) {
      const app = Fastify()
      const customers = new WeakMap<object, string>()
      await app.register(
        rateLimit,
        options([perMinute(5)], { hook, identify: (request) => customers.get(request) as string }),
      )
      const authenticate = async (request: object) => {
        customers.set(request, 'acme')
      }
      app.get('/', { preHandler: hook === 'onRequest' ? authenticate : [], onRequest: authenticate }, async () => 'ok')
      app.get('/late', { preHandler: authenticate }, async () => 'ok')
      expect([hook, (await app.inject('/late')).statusCode]).toEqual([hook, 500])
      expect([hook, (await app.inject('/')).statusCode]).toEqual([hook, status])
    }
  })
})

describe("a route's config", () => {
  async function appWith(routes: (app: FastifyInstance) => void): Promise<FastifyInstance> {
    const app = Fastify()
    await app.register(rateLimit, options([perMinute(20)]))
    routes(app)
    return app
  }

  test('false is not limited', async () => {
    const app = await appWith((app) => app.get('/', { config: { rail: false } }, async () => 'ok'))
    expect(await field(app, '/')).toBeUndefined()
  })

  test('limits are counted under the URL pattern, whatever the parameters, and HEAD shares the bucket of GET', async () => {
    const app = await appWith((app) =>
      app.get('/items/:id', { config: { rail: { limits: [perMinute(5)] } } }, async () => 'ok'),
    )
    expect(await field(app, '/items/1')).toBe('"per_minute";r=19;t=3, "/items/:id.per_minute";r=4;t=12')
    expect(await field(app, '/items/2', 'HEAD')).toBe('"per_minute";r=18;t=6, "/items/:id.per_minute";r=3;t=24')
  })

  test('one object for two routes gives each its own bucket, or one where it names a scope', async () => {
    const apart = { limits: [perMinute(5)] }
    const shared = { scope: 'writes', limits: [perMinute(5)] }
    const app = await appWith((app) => {
      for (const url of ['/a', '/b']) app.get(url, { config: { rail: apart } }, async () => 'ok')
      for (const url of ['/c', '/d']) app.get(url, { config: { rail: shared } }, async () => 'ok')
    })
    expect(await field(app, '/a')).toContain('"/a.per_minute";r=4')
    expect(await field(app, '/b')).toContain('"/b.per_minute";r=4')
    expect(await field(app, '/c')).toContain('"writes.per_minute";r=4')
    expect(await field(app, '/d')).toContain('"writes.per_minute";r=3')
  })

  test('two methods of one URL that define one limit differently are an error at start', async () => {
    const make = () =>
      appWith((app) => {
        app.get('/', { config: { rail: { limits: [perMinute(5)] } } }, async () => 'ok')
        app.post('/', { config: { rail: { limits: [perMinute(2)] } } }, async () => 'ok')
      })
    await expect(make()).rejects.toThrow(/another limit "\/\.per_minute"\. Give one a scope/)
  })

  test.each([
    [{ costs: 3 }, /^costs: not an option of .*Did you mean "cost"/],
    [{ cost: -1 }, /^cost: expected a whole number/],
    [true, /false or an object/],
    [{ scope: 'writes' }, /expected limits beside the scope/],
  ])('%o is an error at start', async (rail, words) => {
    await expect(appWith((app) => app.get('/', { config: { rail: rail as never } }, async () => 'ok'))).rejects.toThrow(
      words,
    )
  })

  test('of a route that was declared before the plugin is used', async () => {
    const app = Fastify()
    app.get('/costly', { config: { rail: { cost: 3 } } }, async () => 'ok')
    await app.register(rateLimit, options([perMinute(20)]))
    expect(await field(app, '/costly')).toBe('"per_minute";r=17;t=9')
  })
})

describe('a limiter that was made first', () => {
  test('has a hook for costlier routes and tells its own answer beside another', async () => {
    const app = Fastify()
    const customers = rateLimit(options([perMinute(20)]))
    await app.register(customers)
    await app.register(rateLimit, options([limit({ name: 'address', tokens: 9, per: '1m' })]))
    app.get('/', { onRequest: customers.with({ cost: 5 }) }, async (request) => ({
      own: customers.of(request)?.decision?.limits.map((status) => status.remaining),
      latest: request.rail?.decision?.limits.map((status) => status.remaining),
    }))
    const response = await app.inject('/')
    expect(response.headers.ratelimit).toBe('"per_minute";r=15;t=15, "address";r=8;t=7')
    expect(response.json()).toEqual({ own: [15], latest: [15] })
  })

  test('a refusal is sent whole where a response schema knows nothing of it', async () => {
    const app = Fastify()
    await app.register(rateLimit, options([perMinute(1)]))
    const schema = { response: { '4xx': { type: 'object', properties: { message: { type: 'string' } } } } }
    app.get('/', { schema }, async () => 'ok')
    await app.inject('/')
    const { statusCode, body, headers } = await app.inject('/')
    expect([statusCode, body]).toEqual([429, '{"error":"rate_limited","retry_after":60}'])
    expect(headers['content-type']).toBe('application/json')
  })
})
