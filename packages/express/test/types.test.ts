import express, { type Request, type RequestHandler, type Response } from 'express'
import { expectTypeOf, it } from 'vitest'
import { type Outcome, perMinute, type RateLimit, type RateLimitOptions, rateLimit, several } from '../src/index.js'

/*
 * What the compiler must and must not accept. `npm run typecheck` checks this file against the types of Express 5 and of
 * Express 4; run, it shows that nothing here throws.
 */

const limiter = rateLimit({ identify: (req) => req.get('x-customer') ?? null, limits: [perMinute(5)] })

it('leaves the parameters of a path as they are', () => {
  express().get('/links/:id', limiter, (req, _res) => {
    expectTypeOf(req.params).toEqualTypeOf<{ id: string }>()
    // @ts-expect-error: the path has no such parameter.
    req.params.other
  })
  express().get('/links/:id', limiter.with({ cost: 2 }), (req) => {
    expectTypeOf(req.params.id).toEqualTypeOf<string>()
  })
})

it('leaves the types of bodies, queries and locals as they are', () => {
  type Typed = RequestHandler<{ id: string }, { ok: boolean }, { text: string }, { page?: string }, { user: string }>
  const typed: Typed = limiter
  express
    .Router()
    .post<{ id: string }, { ok: boolean }, { text: string }, { page?: string }, { user: string }>(
      '/links/:id',
      typed,
      limiter,
      (req, res) => {
        expectTypeOf(req.body).toEqualTypeOf<{ text: string }>()
        expectTypeOf(req.query).toEqualTypeOf<{ page?: string }>()
        expectTypeOf(res.locals.user).toEqualTypeOf<string>()
        expectTypeOf(res.json).parameter(0).toEqualTypeOf<{ ok: boolean } | undefined>()
      },
    )
})

it('is a middleware wherever Express takes one', () => {
  const handler: RequestHandler = limiter
  express().use(limiter)
  express().use('/v1', limiter, handler)
  express.Router().use(limiter).all('/', limiter)
  express().route('/').get(limiter, handler)
  expectTypeOf(limiter).toEqualTypeOf<RateLimit>()
})

it('types req.rail and of', () => {
  express().get('/links/:id', limiter, (req) => {
    expectTypeOf(req.rail).toEqualTypeOf<Outcome | undefined>()
    expectTypeOf(limiter.of(req)).toEqualTypeOf<Outcome | undefined>()
    expectTypeOf(req.rail?.settle).toEqualTypeOf<((actualCost: number) => void) | undefined>()
  })
})

it('gives the functions of a limiter the request of Express', () => {
  const options: RateLimitOptions = {
    identify: (req) => {
      expectTypeOf(req).toEqualTypeOf<Request>()
      // @ts-expect-error: a wrong field does not compile.
      return req.customerr ?? 'acme'
    },
    limits: async (key, req) => {
      expectTypeOf(key).toEqualTypeOf<string>()
      expectTypeOf(req).toEqualTypeOf<Request>()
      return [perMinute(1)]
    },
    cost: undefined,
    store: undefined,
  }
  rateLimit(options)
})

it('asks for identify and limits, or for charges', () => {
  // @ts-expect-error: there is no default to whom a request is counted under.
  const withoutIdentify: RateLimitOptions = { limits: [perMinute(1)] }
  // @ts-expect-error: nor to the limits.
  const withoutLimits: RateLimitOptions = { identify: () => 'acme' }
  const charges: RateLimitOptions = { charges: several(() => [{ key: 'acme', limits: [perMinute(1)], cost: 1 }]) }
  // @ts-expect-error: undefined is not anonymous, null is.
  const undefinedKey: RateLimitOptions = { identify: () => undefined, limits: [] }
  expectTypeOf([withoutIdentify, withoutLimits, charges, undefinedKey]).toEqualTypeOf<RateLimitOptions[]>()
})

it('can be called by hand with a typed request and response', () => {
  const call = (req: Request<{ id: string }>, res: Response<string, { user: string }>): void =>
    limiter(req, res, () => {})
  expectTypeOf(call).returns.toBeVoid()
})
