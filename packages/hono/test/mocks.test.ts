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
