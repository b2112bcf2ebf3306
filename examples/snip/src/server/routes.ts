import type { PlanDocument } from '@rail/fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from './database.js'
import { type Answer, onceFor } from './idempotency.js'
import type { Links } from './links.js'
import type { Customer } from './plans.js'
import { Problem } from './problem.js'

/** What the routes work with. */
export interface Context {
  readonly db: Db
  readonly links: Links
  readonly plans: PlanDocument
  readonly customerOf: (request: FastifyRequest) => Customer
  readonly now: () => number
}

interface BySlug {
  readonly Params: { readonly slug: string }
}

const text = { type: 'string' } as const
const newLink = {
  type: 'object',
  required: ['url'],
  properties: { url: text, slug: text },
  additionalProperties: false,
}
const changedLink = { type: 'object', required: ['url'], properties: { url: text }, additionalProperties: false }

/** Writes are charged to the plan's limits and to those of its scope, all or nothing. */
const writes = { rail: { scope: 'writes' } }

/** The routes below `/v1`. */
export function routes(api: FastifyInstance, { db, links, plans, customerOf, now }: Context): void {
  const once = (request: FastifyRequest, reply: FastifyReply, work: () => Answer): FastifyReply => {
    const asked = [request.method, request.url, request.body]
    const answer = onceFor(db, customerOf(request).id, keyOf(request), asked, now(), work)
    if (answer.status >= 400) reply.type('application/problem+json')
    return reply.code(answer.status).send(answer.body)
  }

  api.post<{ Body: { url: string; slug?: string } }>(
    '/links',
    { config: writes, schema: { body: newLink } },
    async (request, reply) =>
      once(request, reply, () => ({ status: 201, body: links.create(customerOf(request).id, request.body, now()) })),
  )
  api.patch<BySlug & { Body: { url: string } }>(
    '/links/:slug',
    { config: writes, schema: { body: changedLink } },
    async (request, reply) =>
      once(request, reply, () => ({
        status: 200,
        body: links.change(customerOf(request).id, request.params.slug, request.body.url),
      })),
  )
  api.get<{ Querystring: { after?: string } }>('/links', async (request) => ({
    links: links.list(customerOf(request).id, request.query.after ?? ''),
  }))
  api.get<BySlug>('/links/:slug', async (request) => links.get(customerOf(request).id, request.params.slug))
  api.get<BySlug>('/links/:slug/analytics', async (request) =>
    links.analytics(customerOf(request).id, request.params.slug),
  )
  // What an importer needs for its estimate: how many writes a minute each plan has.
  api.get('/account', async (request) => ({
    plan: customerOf(request).plan,
    writes_per_minute: writesPerMinute(plans),
  }))
}

function keyOf(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && key.length > 0 && key.length <= 255) return key
  throw new Problem(400, 'bad-key', 'Bad idempotency key', 'An Idempotency-Key is 1 to 255 characters.')
}

function writesPerMinute(plans: PlanDocument): Record<string, number> {
  const perPlan = Object.entries(
    plans.plans as Record<string, { scopes: { writes: { per_minute: { tokens: number } } } }>,
  )
  return Object.fromEntries(perPlan.map(([name, { scopes }]) => [name, scopes.writes.per_minute.tokens]))
}
