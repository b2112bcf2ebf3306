import Router from '@koa/router'
import { apiKeys, hashKey } from '@rail/keys'
import { addressKey, type Clock, type Decision, perMinute, perSecond, rateLimit } from '@rail/koa'
import Koa, { type ParameterizedContext } from 'koa'

interface Customer {
  readonly id: string
}

/** Demo keys; a real API looks hashes up in its database. */
const customers: Record<string, Customer> = { [hashKey('key_demo')]: { id: 'acme' } }

/** What the app is given by its tests. */
export interface AppOptions {
  readonly clock?: Clock
  /** Told of each request that the planned limit would have refused. */
  readonly onPlannedRefusal?: (decision: Decision) => void
}

/** An API that tries a tighter limit on real traffic before it turns it on. */
export function createApp({ clock, onPlannedRefusal = () => {} }: AppOptions = {}): Koa {
  const keys = apiKeys<Customer, ParameterizedContext>({ keys: customers, address: (ctx) => addressKey(ctx.ip) })
  const identify = (ctx: ParameterizedContext): string => keys.of(ctx).id
  const limiter = rateLimit({ identify, limits: [perSecond(10), perMinute(300)], clock })
  // Counts, tells, and changes no answer.
  const planned = rateLimit({
    identify,
    limits: [perSecond(2, { name: 'planned' })],
    dryRun: true,
    onDecision: (decision) => decision.allowed || onPlannedRefusal(decision),
    clock,
  })

  const router = new Router()
  router.get('/', (ctx) => {
    ctx.body = 'GET /v1/hello with a key'
  })
  const api = new Router({ prefix: '/v1' }).use(keys.koa, planned, limiter)
  api.get('/hello', (ctx) => {
    ctx.body = { hello: keys.of(ctx).id }
  })
  // The route's own limiter is the same limiter: it takes the difference of nine.
  api.get('/report', limiter.with({ cost: 10 }), (ctx) => {
    ctx.body = { rows: [] }
  })
  const app = new Koa()
  app.use(router.routes()).use(api.routes())
  return app
}
