// @vitest-environment edge-runtime
import { expect, it } from 'vitest'
import { createClient } from '../src/index.js'

it('needs only what a web runtime has', async () => {
  expect(globalThis).toHaveProperty('EdgeRuntime')
  const keys: (string | null)[] = []
  const client = createClient({
    idempotencyKey: true,
    backoff: { base: '1ms', cap: '1ms' },
    fetch: async (input, init) => {
      const request = new Request(input, init)
      keys.push(request.headers.get('Idempotency-Key'), await request.text())
      return new Response(null, { status: keys.length < 4 ? 503 : 201, headers: { RateLimit: '"a";r=9;t=1' } })
    },
  })
  const response = await client(new Request('https://api.test/', { method: 'POST', body: 'text' }))
  expect(response.status).toBe(201)
  expect(keys).toEqual([keys[0], 'text', keys[0], 'text'])
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
  expect(client.state()).toMatchObject([{ scope: 'https://api.test', limits: [{ name: 'a', remaining: 9 }] }])
})
