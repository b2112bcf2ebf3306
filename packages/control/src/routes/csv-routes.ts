import { Readable } from 'node:stream'
import { z } from 'zod'
import { exportCustomers, importCustomers } from '../customers-csv.js'
import { type App, authorOf, type RouteContext } from '../http.js'

/** Some 100,000 customers with all that may be said of them. */
const LARGEST_FILE = 64 * 1024 * 1024

/** Customers as CSV, out and in. */
export function csvRoutes(app: App, { db, clock }: RouteContext): void {
  app.addContentTypeParser('text/csv', { parseAs: 'string' }, (_request, text, done) => done(null, text))

  app.get('/v1/customers.csv', {
    config: { scope: 'read' },
    schema: { summary: 'All customers as CSV', tags: ['customers'], response: { 200: z.string() } },
    handler: (_request, reply) => {
      reply.type('text/csv; charset=utf-8').header('content-disposition', 'attachment; filename="customers.csv"')
      reply.send(Readable.from(exportCustomers(db)))
    },
  })

  app.post('/v1/customers.csv', {
    config: { scope: 'admin' },
    bodyLimit: LARGEST_FILE,
    schema: {
      summary: 'Store the customers of a CSV file, all of them or none; nobody is removed',
      tags: ['customers'],
      querystring: z.strictObject({ dryRun: z.literal('true').optional().describe('Only say what would change.') }),
      body: z.string(),
      response: {
        200: z.object({ created: z.int().min(0), changed: z.int().min(0), unchanged: z.int().min(0) }),
      },
    },
    handler: (request) => {
      const { body, query } = request
      return importCustomers(db, body, query.dryRun === 'true', authorOf(request, clock))
    },
  })
}
