import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { z } from 'zod'
import { Problem } from '../../base/problem.js'
import { exportCustomers, importCustomers } from '../../customers/customers-csv.js'
import { type App, authorOf, type RouteContext } from '../route-context.js'

/** Some 100,000 customers with long names and notes. */
const LARGEST_FILE = 64 * 1024 * 1024

/** Read as UTF-8 the ids would be others. */
const NOT_UTF8 = 'Nothing was imported. The file is not UTF-8. In a spreadsheet, save it as "CSV UTF-8".'

/** Customers as CSV, out and in. */
export function csvRoutes(app: App, { db, clock }: RouteContext): void {
  app.addContentTypeParser('text/csv', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) => {
    if (isUtf8(bytes)) done(null, bytes.toString('utf8'))
    else done(new Problem('invalid', NOT_UTF8))
  })

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
      summary: 'Store the customers of a CSV file, once all lines are checked. No customer is removed',
      tags: ['customers'],
      querystring: z.strictObject({
        dryRun: z.literal('true').optional().describe('Only check, and count what would change.'),
      }),
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
