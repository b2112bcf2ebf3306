// One of the four servers: an ordinary Express app, with its buckets in Redis.
import { perSecond, rateLimit } from '@rail/express'
import { RedisStore } from '@rail/redis'
import express, { type Express } from 'express'
import { createClient } from 'redis'

/** The limit that all servers keep together. */
export const LIMIT = { tokens: 10, burst: 10 }

/** An app that says, in `X-Server`, which server it is. */
export async function createApp(redisUrl: string, server: number): Promise<Express> {
  const client = createClient({ url: redisUrl, disableOfflineQueue: true })
  client.on('error', (error: Error) => console.error(`server ${server}:`, error.message))
  await client.connect()

  const app = express()
  app.use((_request, response, next) => {
    response.set('X-Server', String(server))
    next()
  })
  app.use(
    rateLimit({
      identify: (request) => request.get('x-customer') ?? null,
      limits: [perSecond(LIMIT.tokens, { burst: LIMIT.burst })],
      // No one is let in uncounted here, so that the sum can be exact on a slow machine too.
      store: new RedisStore({ client, deadlineMs: 10_000 }),
      onStoreFailure: 'refuse',
    }),
  )
  app.get('/', (_request, response) => {
    response.send('hello\n')
  })
  return app
}
