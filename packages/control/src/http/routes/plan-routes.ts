import { z } from 'zod'
import { Problem } from '../../base/problem.js'
import { ifMatchSchema, nameSchema, preconditionSchema } from '../../base/schemas.js'
import { planBodySchema, storedPlanSchema } from '../../plans/plan-schemas.js'
import { customersOn, findPlan, listPlans, putPlan, removePlan } from '../../plans/plans.js'
import { changeOf, tagged } from '../conditional.js'
import type { App, RouteContext } from '../route-context.js'

/** Plans: list, read, put, remove. */
export function planRoutes(app: App, { db, clock }: RouteContext): void {
  const tags = ['plans']
  const params = z.object({ name: nameSchema })
  const withCustomers = storedPlanSchema.extend({
    customers: z.int().min(0).describe('How many customers name it.'),
  })

  app.get('/v1/plans', {
    config: { scope: 'read' },
    schema: { summary: 'All plans', tags, response: { 200: z.object({ plans: z.array(withCustomers) }) } },
    handler: () => ({ plans: listPlans(db).map((plan) => ({ ...plan, customers: customersOn(db, plan.name) })) }),
  })

  app.get('/v1/plans/:name', {
    config: { scope: 'read' },
    schema: { summary: 'A plan', tags, params, response: { 200: withCustomers } },
    handler: ({ params: { name } }, reply) => {
      const plan = findPlan(db, name)
      if (plan === undefined) throw new Problem('not_found', `There is no plan ${JSON.stringify(name)}.`)
      return tagged(reply, { ...plan, customers: customersOn(db, name) })
    },
  })

  app.put('/v1/plans/:name', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Create or replace a plan. Servers enforce it within 15 seconds',
      tags,
      params,
      headers: preconditionSchema,
      body: planBodySchema,
      response: { 200: storedPlanSchema },
    },
    handler: (request, reply) =>
      tagged(reply, putPlan(db, request.params.name, request.body, ...changeOf(request, clock))),
  })

  app.delete('/v1/plans/:name', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Remove a plan without customers',
      tags,
      params,
      headers: ifMatchSchema,
      response: { 204: z.undefined() },
    },
    handler: (request, reply) => {
      removePlan(db, request.params.name, ...changeOf(request, clock))
      reply.code(204).send(undefined)
    },
  })
}
