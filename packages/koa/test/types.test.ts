import Router from '@koa/router'
import Koa, { type Middleware, type ParameterizedContext } from 'koa'
import { expectTypeOf, it } from 'vitest'
import { type Outcome, perMinute, type RateLimit, type RateLimitOptions, rateLimit, several } from '../src/index.js'

/*
 * What the compiler must and must not accept. `npm run typecheck` checks this file; run, it shows that nothing here throws.
 */

interface State {
  customer: { id: string }
}

const limiter = rateLimit({ identify: (ctx) => ctx.get('x-customer') || null, limits: [perMinute(5)] })

it('types ctx.state.rail behind it', () => {
  new Koa().use(limiter).use((ctx) => {
    expectTypeOf(ctx.state.rail).toEqualTypeOf<Outcome | undefined>()
    // @ts-expect-error: for a request that did not pass the limiter it is not there.
    ctx.state.rail.decision
    expectTypeOf(limiter.of(ctx)).toEqualTypeOf<Outcome | undefined>()
  })
})

it('leaves the state of an app as it is', () => {
  new Koa<State>()
    .use(rateLimit<State>({ identify: (ctx) => ctx.state.customer.id, limits: [perMinute(5)] }))
    .use((ctx) => {
      expectTypeOf(ctx.state.customer).toEqualTypeOf<{ id: string }>()
      // @ts-expect-error: the state has no such field.
      ctx.state.customerr
    })
})

it('gives the functions of a limiter the context of the app', () => {
  const options: RateLimitOptions<State> = {
    identify: (ctx) => {
      expectTypeOf(ctx).toEqualTypeOf<ParameterizedContext<State, Record<never, never>>>()
      // @ts-expect-error: a wrong field does not compile.
      ctx.state.customer.idd
      return ctx.state.customer.id
    },
    limits: async (key) => (key === 'acme' ? [perMinute(1)] : []),
    cost: undefined,
    store: undefined,
  }
  expectTypeOf(rateLimit(options)).toEqualTypeOf<RateLimit<State>>()
})

it('knows of no state that it was not told of', () => {
  rateLimit({
    // @ts-expect-error: the parameters default to nothing, not to any.
    identify: (ctx) => ctx.state.customer.id,
    limits: [perMinute(1)],
  })
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

it('is a middleware wherever Koa and its router take one', () => {
  new Koa().use(limiter).use(limiter.with({ cost: 2 }))
  new Router().get('/', limiter.with({ cost: 2 }), (ctx) => {
    ctx.body = 'ok'
  })
  // @ts-expect-error: it is to be called.
  const uncalled: Middleware = rateLimit
  expectTypeOf(uncalled).toEqualTypeOf<Middleware>()
})
