import { limit, rateLimit } from '@rail/hono'
import { Hono } from 'hono'

/** An app whose limiter reads the runtime's own clock: it lets one request through in half a second. */
export function createFetch(): (request: Request) => Promise<Response> {
  const app = new Hono()
  app.use(rateLimit({ identify: () => 'acme', limits: [limit({ name: 'half', tokens: 1, per: '500ms' })] }))
  app.get('/', (c) => c.text('ok'))
  return async (request) => app.fetch(request)
}
