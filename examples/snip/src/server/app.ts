import { addressKey, type Clock, type PlanDocument, rateLimit } from '@rail/fastify'
import { apiKeys, hashKey } from '@rail/keys'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { authentication } from './authentication.js'
import type { Db } from './database.js'
import { limitsOf } from './limits.js'
import { Links } from './links.js'
import { type Customer, demoKeys, plans as soldPlans } from './plans.js'
import { Problem, problemOf } from './problem.js'
import { type Context, routes } from './routes.js'

/** What Snip runs with. */
export interface SnipOptions {
  readonly db: Db
  /** @default what Snip sells */
  readonly plans?: PlanDocument | undefined
  /** Milliseconds since 1970, for tests. @default the limiter's own, and Date.now for what is stored */
  readonly clock?: Clock | undefined
}

/** The API of a link shortener. */
export async function createApp({ db, plans = soldPlans, clock }: SnipOptions): Promise<FastifyInstance> {
  const known = Object.entries(demoKeys).map(([key, customer]) => [hashKey(key), customer])
  const keys = apiKeys<Customer, FastifyRequest>({
    keys: Object.fromEntries(known),
    address: (request) => addressKey(request.ip),
    clock,
  })
  const context: Context = {
    db,
    links: new Links(db),
    plans,
    customerOf: (request) => keys.of(request),
    now: clock ?? Date.now,
  }

  const app = Fastify()
  app.setErrorHandler((error, _request, reply) => {
    const { status, body } = problemOf(error)
    if (status >= 500) console.error(error)
    return reply.code(status).type('application/problem+json').send(body)
  })
  const notFound = (): never => {
    throw new Problem(404, 'not-found', 'Not found', 'There is nothing here.')
  }
  app.setNotFoundHandler(notFound)
  app.get('/', async () => 'Snip: POST /v1/links with a key. GET /<slug> leads on.\n')
  // Whoever follows a link has no key, and is not limited by one.
  app.get<{ Params: { slug: string } }>('/:slug', async (request, reply) =>
    reply.redirect(context.links.follow(request.params.slug, context.now())),
  )
  await app.register(
    async (api) => {
      api.addHook('onRequest', authentication(keys))
      await api.register(rateLimit, limitsOf(plans, context.customerOf, clock))
      // Of its own, so that what is not found below /v1 is counted and tells where the customer stands.
      api.setNotFoundHandler(notFound)
      routes(api, context)
    },
    { prefix: '/v1' },
  )
  return app
}
