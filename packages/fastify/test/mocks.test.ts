import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect, test, vi } from 'vitest'
import { manualClock, perMinute, type RateLimit, type RateLimitOptions, rateLimit } from '../src/index.js'

const options = (identify: () => string | Promise<string>): RateLimitOptions => ({
  identify,
  limits: [perMinute(1)],
  clock: manualClock(),
})

/** Calls a hook with mocks. Gives what it threw, or what `done` was called with each time. */
async function call(hook: ReturnType<RateLimit['with']>, reply: unknown): Promise<unknown[]> {
  const done = vi.fn()
  try {
    hook({} as FastifyRequest, reply as FastifyReply, done)
  } catch (error) {
    return [error]
  }
  await new Promise(setImmediate)
  return done.mock.calls.flat()
}

test.each([
  ['at once', () => 'acme'],
  ['later', async () => 'acme'],
])(
  'a hook that is called with a mock, and decides %s, fails with a clear error, and done is called once',
  async (_, identify) => {
    const hook = rateLimit(options(identify)).with({})
    expect(await call(hook, {})).toEqual([
      expect.objectContaining({
        code: 'RAIL_BAD_RESPONSE',
        message: expect.stringMatching(/^response: expected an object/),
      }),
    ])
    expect(await call(hook, { raw: { setHeader: () => {} } })).toEqual([
      expect.objectContaining({
        code: 'RAIL_BAD_RESPONSE',
        message: expect.stringMatching(/^reply: expected a reply/),
      }),
    ])
  },
)

test('what a response throws later reaches done, and ends no process', async () => {
  const failed = new Error('sent already')
  const setHeader = (): never => {
    throw failed
  }
  expect(await call(rateLimit(options(async () => 'acme')).with({}), { raw: { setHeader } })).toEqual([failed])
})

test.each<readonly [string, unknown, unknown, string]>([
  ['without a request', undefined, () => {}, 'request: expected an object, got undefined'],
  ['without done', {}, undefined, 'next: expected a function, got undefined'],
])('a hook that is called %s throws a clear error, and counts nothing', (_, request, done, message) => {
  const identify = vi.fn(async () => 'acme')
  const hook = rateLimit(options(identify)).with({})
  expect(() => hook(request as FastifyRequest, {} as FastifyReply, done as never)).toThrow(message)
  expect(identify).not.toHaveBeenCalled()
})
