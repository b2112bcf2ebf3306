import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { rateLimit } from '../src/index.js'

// What only Hono has; what all adapters share is tested by testAdapter.

it('that was mounted without being called says so, and lets nobody through', async () => {
  const app = new Hono()
  app.use(rateLimit as never)
  app.get('/', (c) => c.text('ok'))
  app.onError((error, c) => c.text(error.message, 500))
  const response = await app.request('/')
  expect([response.status, await response.text()]).toEqual([
    500,
    expect.stringMatching(/rateLimit is to be called, and what it returns mounted/),
  ])
})
