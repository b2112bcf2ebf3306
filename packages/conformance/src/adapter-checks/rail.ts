import { expect } from 'vitest'
import { check, times } from './check.js'

/** Outcomes that a handler reads, and costs that it corrects. */
export const railChecks = [
  check('a handler sees the decision on its request', 'five-per-minute', async (app) => {
    expect(JSON.parse((await app.get('/rail')).body)).toEqual({
      rail: { allowed: true, remaining: [4] },
      of: [{ allowed: true, remaining: [4] }],
    })
  }),
  check('of gives the outcome of each limiter, and the request has the latest', 'two-limiters', async (app) => {
    const { body } = await app.get('/rail', { headers: { 'x-address': '203.0.113.7' } })
    expect(JSON.parse(body)).toEqual({
      rail: { allowed: true, remaining: [1] },
      of: [
        { allowed: true, remaining: [9] },
        { allowed: true, remaining: [1] },
      ],
    })
  }),
  check('a request that was not counted has no decision', 'five-per-minute', async (app) => {
    expect(JSON.parse((await app.get('/rail', { anonymous: true })).body)).toEqual({ of: [null] })
  }),
  check('settling for more leaves a debt that is waited off', 'five-per-minute', async (app) => {
    await app.get()
    await app.settle(7)
    const refused = await app.get()
    expect([refused.status, refused.header('Retry-After')]).toEqual([429, '36'])
    await app.advance(36_000)
    expect(await app.statuses(2)).toEqual([200, 429])
  }),
  check('settling for less gives back, never above full', 'five-per-minute', async (app) => {
    await app.get('/', { cost: 5 })
    await app.settle(2)
    expect((await app.get('/', { cost: 0 })).header('RateLimit')).toBe('"per_minute";r=3;t=24')
  }),
  check('the first settle counts, further ones do nothing', 'five-per-minute', async (app) => {
    await app.get('/', { cost: 4 })
    await app.settle(1)
    await app.settle(5)
    await app.settle(5)
    expect((await app.get('/', { cost: 0 })).header('RateLimit')).toBe('"per_minute";r=4;t=12')
  }),
  check('settling works when the handler has thrown', 'five-per-minute', async (app) => {
    await app.get('/error', { cost: 4 })
    await app.settle(1)
    expect((await app.get('/', { cost: 0 })).header('RateLimit')).toBe('"per_minute";r=4;t=12')
  }),
  check('settling works when the client has left a stream', 'five-per-minute', async (app) => {
    await app.leave('/open-stream', { cost: 4 })
    await app.settle(1)
    expect((await app.get('/', { cost: 0 })).header('RateLimit')).toBe('"per_minute";r=4;t=12')
  }),
  check('settling leaves a limit that counts requests alone', 'requests-and-tokens', async (app) => {
    await app.get('/', { cost: 10 })
    await app.settle(60)
    expect((await app.get('/', { cost: 0 })).header('RateLimit')).toBe('"requests";r=2;t=30, "tokens";r=40;t=36')
  }),
  check('a costly route settles what it took', 'routes', async (app) => {
    await app.get('/costly')
    await app.settle(4)
    expect((await app.get('/free')).header('RateLimit')).toBe('"per_minute";r=16;t=12')
  }),
  check('settling with a value that is no cost is reported, and changes nothing', 'five-per-minute', async (app) => {
    await app.get('/', { cost: 2 })
    await app.settle(Number.NaN)
    await app.settle(-1)
    expect((await app.seen()).reported).toEqual(times(2, 'RAIL_BAD_COST'))
    expect((await app.get('/', { cost: 0 })).header('RateLimit')).toBe('"per_minute";r=3;t=24')
  }),
  ...[
    { path: '/settled/3', state: '"per_minute";r=2;t=36' },
    { path: '/settled/0', state: '"per_minute";r=5;t=0' },
    // It owes 9 of 5 tokens: one fits when it owes 4.
    { path: '/settled/9', state: '"per_minute";r=0;t=60' },
    { path: '/settled/raw', state: '"per_minute";r=2;t=36' },
    { path: '/settled/error', state: '"per_minute";r=2;t=36' },
  ].map(({ path, state }) =>
    check(`a cost that is settled before the response is in its headers: ${path}`, 'five-per-minute', async (app) => {
      expect((await app.get(path)).header('RateLimit')).toBe(state)
      expect((await app.get('/', { cost: 0 })).header('RateLimit')).toBe(state)
    }),
  ),
  ...(['routes', 'routes-of-a-later-store'] as const).map((scenario) =>
    check(
      `a cost that a costly route settles before its response is in its headers: ${scenario}`,
      scenario,
      async (app) => {
        expect((await app.get('/settled/3')).header('RateLimit')).toBe('"per_minute";r=17;t=9')
        expect((await app.get('/free')).header('RateLimit')).toBe('"per_minute";r=17;t=9')
      },
    ),
  ),
  check('a limit that counts requests stays as it is where a cost is settled', 'requests-and-tokens', async (app) => {
    expect((await app.get('/settled/9', { cost: 50 })).header('RateLimit')).toBe(
      '"requests";r=3;t=15, "tokens";r=91;t=6',
    )
  }),
  check('headers with room for one limit have the cost that was settled too', 'one-limit-styles', async (app) => {
    const answer = await app.get('/settled/0')
    expect([answer.header('RateLimit'), answer.header('X-RateLimit-Remaining')]).toEqual([
      '"per_day";r=100;t=0, "per_minute";r=2;t=0',
      '2',
    ])
  }),
  check('settling does nothing after a dry run', 'dry-run', async (app) => {
    await app.get()
    await app.settle(0)
    expect(JSON.parse((await app.get('/rail')).body).rail).toEqual({ allowed: true, remaining: [0] })
  }),
]
