import { type Clock, draft11, exposed, perMinute, perSecond, rateLimit, several } from '@rail/hono'
import { Hono } from 'hono'

/** Who calls: an OAuth client, on behalf of one of its users. */
interface Token {
  readonly client: string
  readonly user: string
}

/** Demo tokens; a real API verifies what its authorization server signed. */
const tokens = new Map<string, Token>([
  ['token_ann', { client: 'calendar-app', user: 'ann' }],
  ['token_bob', { client: 'calendar-app', user: 'bob' }],
])

const ofClient = [perSecond(20, { name: 'client' })]
const ofUser = [perMinute(60, { name: 'user', burst: 5 })]

/** An API for OAuth clients: one bucket for the client, a smaller one for each of its users, all or nothing. */
export function createApp(options: { clock?: Clock } = {}): Hono<{ Variables: { token: Token } }> {
  const app = new Hono<{ Variables: { token: Token } }>()
  app.get('/', (c) => c.text('GET /v1/events with a token'))
  app.use('/v1/*', async (c, next) => {
    const token = tokens.get(c.req.header('authorization')?.replace(/^Bearer /, '') ?? '')
    if (token === undefined) return c.json({ error: 'unauthorized' }, 401, { 'WWW-Authenticate': 'Bearer realm="api"' })
    c.set('token', token)
    return next()
  })
  const limiter = rateLimit<{ Variables: { token: Token } }>({
    charges: several((c) => [
      { key: `client:${c.var.token.client}`, limits: ofClient, cost: 1 },
      { key: `user:${c.var.token.client}:${c.var.token.user}`, limits: ofUser, cost: 1 },
    ]),
    headers: exposed(draft11),
    ...options,
  })
  app.use('/v1/*', limiter)
  app.get('/v1/events', (c) =>
    c.json({ user: c.var.token.user, left: c.var.rail?.decision?.limits.map((it) => it.remaining) }),
  )
  // A search costs five, of the client and of the user.
  app.get('/v1/search', limiter.with({ cost: 5 }), (c) => c.json({ found: [] }))
  return app
}
