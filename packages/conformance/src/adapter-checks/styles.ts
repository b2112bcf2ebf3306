import { expect } from 'vitest'
import type { Answer } from '../test-adapter/wire.js'
import { check, expectHeaders, railHeaders } from './check.js'

/** Header styles other than the default. */
export const styleChecks = [
  check('styles with room for one limit send the tightest, beside the default', 'one-limit-styles', async (app) => {
    const answer = await app.get()
    expect([answer.header('RateLimit-Policy'), answer.header('RateLimit')]).toEqual([
      '"per_day";q=100;w=86400, "per_minute";q=2;w=60',
      '"per_day";r=99;t=864, "per_minute";r=1;t=30',
    ])
    expect(oneLimitHeaders(answer)).toEqual(fields(2, 1, 30))
    await app.get()
    const refused = await app.get()
    expect([refused.status, refused.header('Retry-After')]).toEqual([429, '30'])
    expect(oneLimitHeaders(refused)).toEqual(fields(2, 0, 30))
  }),
  check(
    'a moment is sent beside a Date, from which clients with another clock can count',
    'one-limit-styles',
    async (app) => {
      const answers = [await app.get(), await app.get(), await app.get()]
      expect(answers.map((answer) => answer.status)).toEqual([200, 200, 429])
      for (const answer of answers) {
        expect(answer.header('X-RateLimit-Reset')).toBeDefined()
        expect(Date.parse(answer.header('Date') ?? '')).not.toBeNaN()
      }
    },
    'date',
  ),
  check('draft-7 sends all policies and the tightest limit', 'draft-7', async (app) => {
    const answer = await app.get()
    expect([answer.header('RateLimit-Policy'), answer.header('RateLimit')]).toEqual([
      '100;w=86400, 2;w=60',
      'limit=2, remaining=1, reset=30',
    ])
  }),
  ...(['tight-limiter-last', 'tight-limiter-first'] as const).map((scenario) =>
    check(`of two limiters the tightest is sent, all of it: ${scenario}`, scenario, async (app) => {
      const answer = await app.get()
      expect(oneLimitHeaders(answer)).toEqual(fields(2, 1, 5))
      expect([answer.lines('RateLimit-Limit'), answer.lines('X-RateLimit-Reset')]).toEqual([1, 1])
    }),
  ),
  check('unshared headers are not on a response for shared caches, but on its refusal', 'shared-cache', async (app) => {
    const [allowed, refused] = [await app.get(), await app.get()]
    expect([allowed.status, allowed.header('Cache-Control'), railHeaders(allowed)]).toEqual([200, 's-maxage=300', {}])
    expect([refused.status, refused.header('RateLimit')]).toEqual([429, '"per_minute";r=0;t=60'])
  }),
  check('unshared headers are on every other response', 'private-cache', async (app) => {
    expectHeaders(await app.get(), '"per_minute";q=1;w=60', '"per_minute";r=0;t=60')
  }),
]

function fields(limit: number, remaining: number, reset: number): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(reset),
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Used': String(limit - remaining),
    // The clock under test began at 0, so that epoch seconds are seconds from now.
    'X-RateLimit-Reset': String(reset),
  }
}

function oneLimitHeaders(answer: Answer): Record<string, string | undefined> {
  return Object.fromEntries(Object.keys(fields(0, 0, 0)).map((name) => [name, answer.header(name)]))
}
