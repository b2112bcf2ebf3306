import { expect } from 'vitest'
import { check } from './check.js'

/** Refusals when nothing is left, `writes` of it spent on the tighter route: how long the next request has to wait. */
const WAITS = [
  { method: 'GET', path: '/', writes: 0, seconds: 3, state: '"per_minute";r=0;t=3' },
  { method: 'GET', path: '/costly', writes: 0, seconds: 30, state: '"per_minute";r=0;t=30' },
  { method: 'GET', path: '/nested/costly', writes: 0, seconds: 30, state: '"per_minute";r=0;t=30' },
  {
    method: 'POST',
    path: '/writes',
    writes: 2,
    seconds: 30,
    state: '"per_minute";r=0;t=3, "writes.per_minute";r=0;t=30',
  },
  {
    method: 'POST',
    path: '/writes',
    writes: 0,
    seconds: 3,
    state: '"per_minute";r=0;t=3, "writes.per_minute";r=2;t=0',
  },
]

/** The wait that a refusal announces is that of the whole request, whichever mount of a limiter refused it. */
export const waitChecks = [
  ...(['routes', 'routes-of-a-later-store'] as const).flatMap((scenario) => [
    ...WAITS.map(({ method, path, writes, seconds, state }) =>
      check(
        `a client that waits Retry-After is allowed, whichever mount refused it: ${method} ${path} after ${writes} writes, ${scenario}`,
        scenario,
        async (app) => {
          await app.statuses(writes, '/writes', { method: 'POST' })
          await app.statuses(20 - writes)
          const refused = await app.get(path, { method })
          expect([refused.status, refused.header('Retry-After')]).toEqual([429, String(seconds)])
          expect([refused.header('RateLimit'), JSON.parse(refused.body)]).toEqual([
            state,
            { error: 'rate_limited', retry_after: seconds },
          ])
          await app.advance(seconds * 1_000 - 1)
          expect(await app.statuses(1, path, { method })).toEqual([429])
          await app.advance(1)
          expect(await app.statuses(1, path, { method })).toEqual([200])
        },
      ),
    ),
    check(`a route whose cost never fits says so whichever mount refused: ${scenario}`, scenario, async (app) => {
      await app.statuses(20)
      expect(await app.statuses(1, '/huge')).toEqual([422])
      await app.advance(3_000)
      expect(await app.statuses(2, '/huge')).toEqual([422, 422])
      expect(await app.statuses(2)).toEqual([200, 429])
    }),
  ]),
]
