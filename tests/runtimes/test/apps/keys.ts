import { perMinute, rateLimit } from '@rail/hono'
import { apiKeys, createKey } from '@rail/keys'
import { type Context, Hono } from 'hono'

interface Customer {
  readonly id: string
}

/** An app that draws API keys, and checks them in front of a limiter. */
export function createFetch(): (request: Request) => Promise<Response> {
  const known = new Map<string, Customer>()
  const keys = apiKeys<Customer, Context>({
    lookup: async (hash) => known.get(hash) ?? null,
    address: (c) => c.req.header('x-address') ?? null,
    failures: [perMinute(3, { name: 'guesses' })],
  })
  const app = new Hono()
  // Drawn where the runtime's own random numbers come from.
  app.post('/keys', (c) => {
    const { key, hash } = createKey()
    known.set(hash, { id: 'acme' })
    return c.json({ key, hash })
  })
  app.use('/hello', keys.hono, rateLimit({ identify: (c) => keys.of(c).id, limits: [perMinute(100)] }))
  app.get('/hello', (c) => c.json(keys.of(c)))
  return async (request) => app.fetch(request)
}
