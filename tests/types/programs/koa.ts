import Router from '@koa/router'
import { type Outcome, perMinute, preflights, rateLimit } from '@rail/koa'
import Koa from 'koa'

interface State {
  customer: { id: string }
}

const limiter = rateLimit<State>({
  identify: (ctx) => ctx.state.customer.id,
  limits: [perMinute(300)],
  skip: preflights,
})
const router = new Router<State>()
router.get('/v1/links', limiter.with({ cost: 10 }), (ctx) => {
  limiter.of(ctx)?.settle(2)
  ctx.body = ctx.state.customer.id
})
new Koa<State>()
  .use(limiter)
  .use((ctx, next) => {
    const outcome: Outcome | undefined = ctx.state.rail
    // @ts-expect-error: no limiter may have run.
    ctx.state.rail.settle(1)
    const id: string = ctx.state.customer.id
    return outcome?.decision?.allowed === true && id !== '' ? next() : undefined
  })
  .use(router.routes())
// @ts-expect-error: no such value.
limiter.with({ cost: '10' })
