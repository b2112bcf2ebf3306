import { EventEmitter } from 'node:events'
import type { Request, Response } from 'express'
import { createRequest, createResponse } from 'node-mocks-http'
import { describe, expect, test, vi } from 'vitest'
import { draft6, manualClock, perMinute, type RateLimitOptions, rateLimit } from '../src/index.js'

const options = (more: Partial<RateLimitOptions> = {}): RateLimitOptions =>
  ({ identify: () => 'acme', limits: [perMinute(1)], clock: manualClock(), ...more }) as RateLimitOptions

/** Calls a middleware with mocks, and gives what `next` was called with each time. */
async function call(limiter: ReturnType<typeof rateLimit>, req: unknown, res: unknown): Promise<unknown[][]> {
  const next = vi.fn()
  limiter(req as Request, res as Response, next)
  // What is asynchronous here waits for promises alone.
  await new Promise(setImmediate)
  return next.mock.calls
}

/** A response as unit tests write it by hand. */
function bare(headers: Record<string, string> = {}) {
  return Object.assign(new EventEmitter(), {
    statusCode: 200,
    headers,
    body: undefined as unknown,
    setHeader: (name: string, value: string) => {
      headers[name] = value
    },
    getHeader: (name: string) => headers[name],
    end(body: unknown) {
      this.body = body
    },
  })
}

describe.each([
  ['at once', (key: string | null) => key],
  ['later', async (key: string | null) => key],
])('a middleware that is called with a mock, and decides %s,', (_, identity) => {
  const identify = () => identity('acme')

  test('gives a bare response its headers, and its refusal', async () => {
    const limiter = rateLimit(options({ identify }))
    const first = bare()
    expect(await call(limiter, { method: 'GET' }, first)).toEqual([[]])
    expect(first.headers).toEqual({ 'RateLimit-Policy': '"per_minute";q=1;w=60', RateLimit: '"per_minute";r=0;t=60' })
    const second = bare()
    expect(await call(limiter, { method: 'GET' }, second)).toEqual([])
    expect([second.statusCode, second.body]).toEqual([429, '{"error":"rate_limited","retry_after":60}'])
    expect(second.headers).toEqual({
      'RateLimit-Policy': '"per_minute";q=1;w=60',
      RateLimit: '"per_minute";r=0;t=60',
      'Retry-After': '60',
      'Cache-Control': 'no-store',
      'Content-Type': 'application/json',
    })
  })

  test('gives a response of node-mocks-http its headers, once, and its refusal', async () => {
    const limiter = rateLimit(options({ identify, headers: draft6 }))
    const [first, second] = [createResponse(), createResponse()]
    expect(await call(limiter, createRequest(), first)).toEqual([[]])
    first.writeHead(200, { 'X-Other': 'one' })
    first.end()
    expect(first.getHeaders()).toEqual({
      'ratelimit-limit': '1',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '60',
      'x-other': 'one',
    })
    expect(await call(limiter, createRequest(), second)).toEqual([])
    expect([second.statusCode, second._getData(), second._isEndCalled()]).toEqual([
      429,
      '{"error":"rate_limited","retry_after":60}',
      true,
    ])
    expect(second.getHeaders()).toMatchObject({ 'retry-after': '60', 'ratelimit-remaining': '0' })
  })

  test('gives two limiters, and a route of one, their headers side by side', async () => {
    const clock = manualClock()
    const customers = rateLimit(options({ identify, limits: [perMinute(9)], clock }))
    const others = rateLimit(options({ identify, limits: [perMinute(5, { name: 'other' })], clock }))
    const [req, res] = [createRequest(), createResponse()]
    for (const limiter of [customers, others, customers.with({ cost: 4 })]) await call(limiter, req, res)
    expect(res.getHeader('RateLimit')).toBe('"other";r=4;t=12, "per_minute";r=5;t=27')
  })

  test.each<readonly [string, unknown, RegExp]>([
    [
      'no response',
      undefined,
      /^response: expected an object with setHeader, got undefined\. In a test use a response/,
    ],
    ['an empty object', {}, /^response: expected an object with setHeader, got an object/],
  ])('passes a clear error to next for %s', async (_, res, words) => {
    const [[error, ...more] = [], ...others] = await call(rateLimit(options({ identify })), { method: 'GET' }, res)
    expect(error).toMatchObject({ code: 'RAIL_BAD_RESPONSE', message: expect.stringMatching(words) })
    expect([more, others]).toEqual([[], []])
  })

  test.each([undefined, null, 'GET'])('passes a clear error to next for a request that is %s', async (req) => {
    const [[error, ...more] = [], ...others] = await call(rateLimit(options({ identify })), req, bare())
    expect(error).toMatchObject({
      code: 'RAIL_BAD_RESPONSE',
      message: expect.stringMatching(/^request: expected an ob/),
    })
    expect([more, others]).toEqual([[], []])
  })

  test('throws a clear error at once where there is no next, and counts nothing', () => {
    const identified = vi.fn(identify)
    const limiter = rateLimit(options({ identify: identified }))
    expect(() => limiter({ method: 'GET' } as Request, bare() as never, undefined as never)).toThrow(
      expect.objectContaining({
        code: 'RAIL_BAD_RESPONSE',
        message: expect.stringMatching(/^next: expected a function/),
      }),
    )
    expect(identified).not.toHaveBeenCalled()
  })

  test('passes a clear error to next where a refusal cannot be sent', async () => {
    const limiter = rateLimit(options({ identify }))
    const res = { setHeader: vi.fn() }
    expect(await call(limiter, {}, res)).toEqual([[]])
    expect(await call(limiter, {}, res)).toEqual([[expect.objectContaining({ code: 'RAIL_BAD_RESPONSE' })]])
  })

  test('passes what the response throws to next', async () => {
    const failed = new Error('sent already')
    const res = bare()
    res.setHeader = () => {
      throw failed
    }
    expect(await call(rateLimit(options({ identify })), {}, res)).toEqual([[failed]])
  })
})
