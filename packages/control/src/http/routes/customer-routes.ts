import { z } from 'zod'
import { Problem } from '../../base/problem.js'
import { ifMatchSchema, nameSchema, pageSchema, preconditionSchema } from '../../base/schemas.js'
import {
  customerBodySchema,
  customerDetailSchema,
  customerIdSchema,
  type StoredCustomer,
  storedCustomerSchema,
} from '../../customers/customer-schemas.js'
import { findCustomer, listCustomers, putCustomer, removeCustomer } from '../../customers/customers.js'
import { effectiveFor } from '../../customers/effective.js'
import { changeOf, tagged } from '../conditional.js'
import type { App, RouteContext } from '../route-context.js'

/** Customers: list, read, put, remove. */
export function customerRoutes(app: App, { db, clock }: RouteContext): void {
  const tags = ['customers']
  const params = z.object({ id: customerIdSchema })
  const detailed = (customer: StoredCustomer): z.infer<typeof customerDetailSchema> => {
    return { ...customer, effective: effectiveFor(db, customer, clock()) }
  }

  app.get('/v1/customers', {
    config: { scope: 'read' },
    schema: {
      summary: 'A page of customers, by id',
      tags,
      querystring: z.strictObject({
        plan: nameSchema.optional().describe('Only customers who name this plan.'),
        search: z.string().min(1).max(255).optional().describe('Part of an id or a name.'),
        overridden: z.literal('true').optional().describe('Only customers who have overrides.'),
        after: z.string().optional().describe('The last id of the page before.'),
        limit: pageSchema,
      }),
      response: {
        200: z.object({
          customers: z.array(storedCustomerSchema),
          next: z.string().nullable().describe('Send it as `after` for the next page. null: this is the last one.'),
        }),
      },
    },
    handler: ({ query: { overridden, ...query } }) => {
      const found = listCustomers(db, { ...query, overridden: overridden === 'true', limit: query.limit + 1 })
      const customers = found.slice(0, query.limit)
      return { customers, next: found.length > query.limit ? (customers.at(-1)?.id ?? null) : null }
    },
  })

  app.get('/v1/customers/:id', {
    config: { scope: 'read' },
    schema: {
      summary: 'A customer, and the rule behind each limit',
      tags,
      params,
      response: { 200: customerDetailSchema },
    },
    handler: ({ params: { id } }, reply) => {
      const customer = findCustomer(db, id)
      if (customer === undefined) throw new Problem('not_found', `There is no customer ${JSON.stringify(id)}.`)
      return tagged(reply, detailed(customer))
    },
  })

  app.put('/v1/customers/:id', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Create or replace a customer. Parts that are left out are removed',
      tags,
      params,
      headers: preconditionSchema,
      body: customerBodySchema,
      response: { 200: customerDetailSchema },
    },
    handler: (request, reply) =>
      tagged(reply, detailed(putCustomer(db, request.params.id, request.body, ...changeOf(request, clock)))),
  })

  app.delete('/v1/customers/:id', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Remove a customer. If a server sees it again, it is stored again, on the default plan',
      tags,
      params,
      headers: ifMatchSchema,
      response: { 204: z.undefined() },
    },
    handler: (request, reply) => {
      removeCustomer(db, request.params.id, ...changeOf(request, clock))
      reply.code(204).send(undefined)
    },
  })
}
