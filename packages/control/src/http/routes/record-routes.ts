import { z } from 'zod'
import { pageSchema, timeQuerySchema } from '../../base/schemas.js'
import { customerIdSchema } from '../../customers/customer-schemas.js'
import { history } from '../../records/history.js'
import { changeSchema, usageSchema } from '../../records/record-schemas.js'
import { readUsage } from '../../records/usage.js'
import type { App, RouteContext } from '../route-context.js'

const HOUR_MS = 3_600_000

/** Records: the history of changes, and usage. */
export function recordRoutes(app: App, { db, clock, counting }: RouteContext): void {
  app.get('/v1/changes', {
    config: { scope: 'read' },
    schema: {
      summary: 'Who changed what, the latest change first',
      tags: ['history'],
      querystring: z.strictObject({
        kind: changeSchema.shape.kind.optional(),
        id: z.string().optional().describe("The customer's id, the plan's name, …"),
        before: z.coerce.number().int().min(1).optional().describe('Only changes before this number.'),
        limit: pageSchema,
      }),
      response: { 200: z.object({ changes: z.array(changeSchema) }) },
    },
    handler: ({ query }) => ({ changes: history(db, query) }),
  })

  app.get('/v1/usage', {
    config: { scope: 'read' },
    schema: {
      summary:
        'Requests by customer, those with the most refusals first: by the minute for an hour, by the hour for 32 days',
      tags: ['history'],
      querystring: z.strictObject({
        customer: customerIdSchema.optional(),
        from: timeQuerySchema.optional().describe('Epoch milliseconds. Default: an hour ago.'),
        to: timeQuerySchema.optional().describe('Epoch milliseconds. Default: now.'),
        limit: pageSchema,
      }),
      response: { 200: z.object({ from: z.int(), to: z.int(), usage: z.array(usageSchema) }) },
    },
    handler: async ({ query }) => {
      await counting.done()
      const now = clock()
      const { customer, from = now - HOUR_MS, to = now + 1, limit } = query
      return { from, to, usage: await readUsage(db, { customer, from, to, limit }, now) }
    },
  })
}
