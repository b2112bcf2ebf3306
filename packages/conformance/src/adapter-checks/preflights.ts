import { expect } from 'vitest'
import type { Answer } from '../test-adapter/wire.js'
import { check, railHeaders } from './check.js'

/** CORS preflights, which `skip: preflights` leaves uncounted. */
export const preflightChecks = [
  check(
    'preflights are not counted with skip: preflights; other OPTIONS requests are',
    'skip-preflights',
    async (app) => {
      const preflight = {
        method: 'OPTIONS',
        headers: { Origin: 'https://app.example', 'Access-Control-Request-Method': 'PUT' },
      }
      const answer = await app.get('/', preflight)
      expect([answer.status === 429, railHeaders(answer)]).toEqual([false, {}])
      await app.get('/', preflight)
      const options = [
        await app.get('/', { method: 'OPTIONS' }),
        await app.get('/', { method: 'OPTIONS', headers: { Origin: 'https://app.example' } }),
      ]
      expect(options.map((other) => other.header('RateLimit'))).toEqual([
        '"per_minute";r=1;t=30',
        '"per_minute";r=0;t=30',
      ])
      expect((await app.get('/', { method: 'OPTIONS' })).status).toBe(429)
      expect((await app.get('/', { headers: preflight.headers })).status).toBe(429)
    },
  ),
  check('a request that looks like a preflight and has credentials is counted', 'skip-preflights', async (app) => {
    const answers = [
      await app.get('/', preflightWith({ Authorization: 'Bearer key' })),
      await app.get('/', preflightWith({ Cookie: 'session=1' })),
      await app.get('/', preflightWith({ 'X-API-Key': 'key' })),
    ]
    expect(answers.map(statusAndState)).toEqual([
      [false, '"per_minute";r=1;t=30'],
      [false, '"per_minute";r=0;t=30'],
      [true, '"per_minute";r=0;t=30'],
    ])
  }),
  check(
    'a request that looks like a preflight and has a body is counted',
    'skip-preflights',
    async (app) => {
      // Over HTTP/2 no header announces the second one.
      for (const [length, state] of [
        [{ 'Content-Length': '1' }, '"per_minute";r=1;t=30'],
        [{ 'Transfer-Encoding': 'chunked' }, '"per_minute";r=0;t=30'],
      ] as const) {
        const answer = await app.get('/', { ...preflightWith(length), body: 'x' })
        expect(statusAndState(answer)).toEqual([false, state])
      }
    },
    'unread-body',
  ),
  check('credentials of an API are named by preflights({ headers, query })', 'skip-preflights-without', async (app) => {
    const answers = [
      await app.get('/', preflightWith({})),
      await app.get('/?keys=1', preflightWith({ 'X-Tokens': '1' })),
      await app.get('/', preflightWith({ 'X-Token': '1' })),
      await app.get('/?a=1&k%65y=1', preflightWith({})),
      await app.get('/?key', preflightWith({})),
      await app.get('/', preflightWith({ Authorization: 'Bearer key' })),
    ]
    expect(answers.map(statusAndState)).toEqual([
      [false, undefined],
      [false, undefined],
      [false, '"per_minute";r=1;t=30'],
      [false, '"per_minute";r=0;t=30'],
      [true, '"per_minute";r=0;t=30'],
      [true, '"per_minute";r=0;t=30'],
    ])
  }),
  check("preflights with a customer's key are counted by default", 'count-preflights', async (app) => {
    const preflight = {
      method: 'OPTIONS',
      headers: { Origin: 'https://app.example', 'Access-Control-Request-Method': 'PUT' },
    }
    await app.statuses(2, '/', preflight)
    expect(await app.statuses(1, '/', preflight)).toEqual([429])
    expect(await app.statuses(1)).toEqual([429])
  }),
]

/** A preflight as a browser sends it, and headers that it has besides. */
function preflightWith(headers: Record<string, string>): { method: string; headers: Record<string, string> } {
  const own = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'PUT' }
  return { method: 'OPTIONS', headers: { ...own, ...headers } }
}

/** Whether a request was refused, and what was sent of the limit. */
function statusAndState(answer: Answer): [refused: boolean, state: string | undefined] {
  return [answer.status === 429, answer.header('RateLimit')]
}
