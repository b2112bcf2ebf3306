import Koa, { type ParameterizedContext } from 'koa'
import { createRequest, createResponse } from 'node-mocks-http'
import { expect, test, vi } from 'vitest'
import { manualClock, perMinute, type RateLimitOptions, rateLimit } from '../src/index.js'

const options = (more: Partial<RateLimitOptions> = {}): RateLimitOptions =>
  ({ identify: () => 'acme', limits: [perMinute(1)], clock: manualClock(), ...more }) as RateLimitOptions

type Context = ParameterizedContext<{ rail: undefined }>

test.each([
  ['at once', () => 'acme'],
  ['later', async () => 'acme'],
])('a middleware that is called with a mock, and decides %s, sets its headers', async (_, identify) => {
  const limiter = rateLimit(options({ identify }))
  const contexts = [1, 2].map(() => new Koa().createContext(createRequest(), createResponse()) as unknown as Context)
  const next = vi.fn(async () => {})
  for (const ctx of contexts) await limiter(ctx as never, next)
  expect(next).toHaveBeenCalledTimes(1)
  expect(contexts.map((ctx) => ctx.res.getHeader('RateLimit'))).toEqual(Array(2).fill('"per_minute";r=0;t=60'))
  expect([contexts[1]?.status, contexts[1]?.res.getHeader('Retry-After')]).toEqual([429, '60'])
})

test.each<readonly [string, object, RegExp]>([
  ['an empty object', {}, /^response: expected an object with setHeader, got undefined/],
  ['a context without state', { res: createResponse() }, /^context: expected an object with state, got an object/],
])('a middleware that is called with %s throws a clear error', async (_, ctx, words) => {
  for (const identify of [() => 'acme', async () => 'acme']) {
    const called = async (): Promise<unknown> => rateLimit(options({ identify }))(ctx as never, async () => {})
    await expect(called).rejects.toMatchObject({ code: 'RAIL_BAD_RESPONSE', message: expect.stringMatching(words) })
  }
})

test.each<readonly [string, unknown, unknown, RegExp]>([
  ['without a context', undefined, async () => {}, /^request: expected an object, got undefined/],
  ['without next', { res: createResponse(), state: {} }, undefined, /^next: expected a function, got undefined/],
])('a middleware that is called %s throws a clear error, and counts nothing', async (_, ctx, next, words) => {
  const identify = vi.fn(async () => 'acme')
  expect(() => rateLimit(options({ identify }))(ctx as never, next as never)).toThrow(
    expect.objectContaining({ code: 'RAIL_BAD_RESPONSE', message: expect.stringMatching(words) }),
  )
  expect(identify).not.toHaveBeenCalled()
})

test.each<readonly [string, NonNullable<RateLimitOptions['onReject']>, number]>([
  ['sets a body', (_refusal, ctx) => void Object.assign(ctx, { status: 420, body: 'calm' }), 429],
  ['ends the response', (_refusal, ctx) => void ctx.res.writeHead(420).end(), 420],
  ['writes a head alone', (_refusal, ctx) => void ctx.res.writeHead(420), 420],
  [
    'ends the response, and returns a body',
    (_refusal, ctx) => {
      ctx.res.writeHead(420).end()
      return { text: 'calm' }
    },
    420,
  ],
])('an onReject that %s is reported, and the answer has the headers', async (_, onReject, status) => {
  const reported: unknown[] = []
  const limiter = rateLimit(options({ onReject, onError: (error) => reported.push(error) }))
  const app = new Koa().use(limiter)
  const responses = [createResponse(), createResponse()]
  for (const res of responses) await app.callback()(createRequest() as never, res)
  const [, refused] = responses
  expect([refused?.statusCode, refused?.getHeader('Retry-After')]).toEqual([status, '60'])
  expect(reported).toEqual([
    expect.objectContaining({ message: expect.stringMatching(/got an answer through the resp/) }),
  ])
})
