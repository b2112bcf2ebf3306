import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { type ApplyGlobalResponse, hc } from 'hono/client'
import { expectTypeOf, it } from 'vitest'
import { type Outcome, perMinute, type RateLimit, type RateLimitOptions, rateLimit, several } from '../src/index.js'

/*
 * What the compiler must and must not accept. `npm run typecheck` checks this file; run, it shows that nothing here throws.
 */

type Env = { Variables: { customer: { id: string } }; Bindings: { TOKEN: string } }

const limiter = rateLimit({ identify: (c) => c.req.header('x-customer') ?? null, limits: [perMinute(5)] })

it('types c.var.rail, and c.get, in every handler', () => {
  new Hono().use(limiter).get('/links/:id', (c) => {
    expectTypeOf(c.var.rail).toEqualTypeOf<Outcome | undefined>()
    // @ts-expect-error: on a route before the limiter it is not there.
    c.var.rail.decision
    expectTypeOf(c.get('rail')).toEqualTypeOf<Outcome | undefined>()
    expectTypeOf(limiter.of(c)).toEqualTypeOf<Outcome | undefined>()
    return c.text('ok')
  })
})

it('leaves parameters of a path and the variables of an app as they are', () => {
  new Hono<Env>().use(limiter).get('/links/:id', limiter, limiter.with({ cost: 2 }), (c) => {
    expectTypeOf(c.req.param('id')).toEqualTypeOf<string>()
    expectTypeOf(c.var.customer).toEqualTypeOf<{ id: string }>()
    // @ts-expect-error: the app has no such variable.
    c.var.customerr
    return c.text('ok')
  })
})

it('gives the functions of a limiter the context of the app', () => {
  const options: RateLimitOptions<Env> = {
    identify: (c) => {
      expectTypeOf(c).toEqualTypeOf<Context<Env>>()
      expectTypeOf(c.env.TOKEN).toEqualTypeOf<string>()
      // @ts-expect-error: a wrong field does not compile.
      c.var.customer.idd
      return c.var.customer.id
    },
    limits: async (key, c) => {
      expectTypeOf(key).toEqualTypeOf<string>()
      return c.var.customer.id === key ? [perMinute(1)] : []
    },
    cost: undefined,
    store: undefined,
  }
  const made = rateLimit<Env>(options)
  expectTypeOf(made).toEqualTypeOf<RateLimit<Env>>()
  new Hono<Env>().use(made)
})

it('knows of no variables that it was not told of', () => {
  rateLimit({
    // @ts-expect-error: the parameters default to nothing, not to any.
    identify: (c) => c.var.customer.id,
    limits: [perMinute(1)],
  })
})

it('asks for identify and limits, or for charges', () => {
  // @ts-expect-error: there is no default to whom a request is counted under, least of all an address.
  const withoutIdentify: RateLimitOptions = { limits: [perMinute(1)] }
  // @ts-expect-error: nor to the limits.
  const withoutLimits: RateLimitOptions = { identify: () => 'acme' }
  const charges: RateLimitOptions = { charges: several(() => [{ key: 'acme', limits: [perMinute(1)], cost: 1 }]) }
  // @ts-expect-error: undefined is not anonymous, null is.
  const undefinedKey: RateLimitOptions = { identify: () => undefined, limits: [] }
  expectTypeOf([withoutIdentify, withoutLimits, charges, undefinedKey]).toEqualTypeOf<RateLimitOptions[]>()
})

it('is a middleware wherever Hono takes one', () => {
  const handler: MiddlewareHandler = limiter
  new Hono()
    .use(limiter)
    .use('/v1/*', handler)
    .on('GET', '/', limiter, (c) => c.text('ok'))
  // @ts-expect-error: it is to be called.
  const uncalled: MiddlewareHandler = rateLimit
  expectTypeOf(uncalled).toEqualTypeOf<MiddlewareHandler>()
})

it("tells Hono's client of the statuses of a refusal", () => {
  const app = new Hono()
    .get('/links', limiter, (c) => c.json({ links: 3 }, 200))
    .post('/links', limiter.with({ cost: 2 }), (c) => c.json({ made: true }, 201))
  const client = hc<typeof app>('http://localhost')
  const ask = async (): Promise<number | undefined> => {
    const listed = await client.links.$get()
    expectTypeOf(listed.status).toEqualTypeOf<200 | 422 | 429 | 503>()
    if (listed.status === 429) {
      expectTypeOf(await listed.json()).toEqualTypeOf<unknown>()
      return Number(listed.headers.get('retry-after'))
    }
    if (listed.status !== 200) return undefined
    expectTypeOf(await listed.json()).toEqualTypeOf<{ links: number }>()
    const made = await client.links.$post()
    expectTypeOf(made.status).toEqualTypeOf<201 | 422 | 429 | 503>()
    // @ts-expect-error: nothing answers so.
    return made.status === 404 ? 0 : undefined
  }
  expectTypeOf(ask).returns.resolves.toEqualTypeOf<number | undefined>()
})

it("can be told to Hono's client of a whole app, whose use() keeps no types of responses", () => {
  const app = new Hono().use(limiter).get('/links', (c) => c.json({ links: 3 }, 200))
  type Limited = ApplyGlobalResponse<typeof app, { 429: { json: { error: string } } }>
  const client = hc<Limited>('http://localhost')
  const ask = async (): Promise<string | undefined> => {
    const listed = await client.links.$get()
    return listed.status === 429 ? (await listed.json()).error : undefined
  }
  expectTypeOf(ask).returns.resolves.toEqualTypeOf<string | undefined>()
})
