import { expect, test } from 'vitest'
import { perMinute, rateLimit } from '../src/index.js'

test.each([
  ['at once', () => 'acme'],
  ['later', async () => 'acme'],
])(
  'a middleware that is called with an empty object, and decides %s, fails with a clear error',
  async (_, identify) => {
    const limiter = rateLimit({ identify, limits: [perMinute(1)] })
    await expect(limiter({} as never, async () => {})).rejects.toMatchObject({
      code: 'RAIL_BAD_RESPONSE',
      message: 'context: expected a context of Hono, got an object.',
    })
  },
)

test.each<readonly [string, unknown, unknown, string]>([
  ['without a context', undefined, async () => {}, 'request: expected an object, got undefined.'],
  ['without next', { set: () => {} }, undefined, 'next: expected a function, got undefined.'],
  [
    'with a context that has no header()',
    { set: () => {}, get: () => {} },
    async () => {},
    'context: expected a context of Hono, got an object.',
  ],
])('a middleware that is called %s fails with a clear error', async (_, c, next, message) => {
  for (const identify of [() => 'acme', async () => 'acme']) {
    const limiter = rateLimit({ identify, limits: [perMinute(1)] })
    await expect(limiter(c as never, next as never)).rejects.toMatchObject({
      code: 'RAIL_BAD_RESPONSE',
      message: expect.stringContaining(message.slice(0, -1)),
    })
  }
})

test('a mock that has no response gets its headers, and its refusal', async () => {
  const mock = () => {
    const headers: Record<string, string> = {}
    const variables = new Map<unknown, unknown>()
    return {
      headers,
      get: (name: unknown) => variables.get(name),
      set: (name: unknown, value: unknown) => void variables.set(name, value),
      header: (name: string, value: string) => {
        headers[name] = value
      },
      body: (body: string, status: number) => ({ body, status }),
      newResponse: () => new Response(),
    }
  }
  const limiter = rateLimit({ identify: () => 'acme', limits: [perMinute(1)] })
  const [first, second] = [mock(), mock()]
  await expect(limiter(first as never, async () => {})).resolves.toBe(undefined)
  expect(Object.keys(first.headers)).toEqual(['RateLimit-Policy', 'RateLimit'])
  await expect(limiter(second as never, async () => {})).resolves.toMatchObject({ status: 429 })
  expect(Object.keys(second.headers)).toContain('Retry-After')
})
