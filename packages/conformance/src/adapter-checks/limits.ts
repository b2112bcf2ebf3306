import { expect } from 'vitest'
import { check, railHeaders, tally, times } from './check.js'

/** Limits in numbers: how many requests are allowed, and how long the others wait. */
export const limitChecks = [
  check('ten of a burst of ten pass; the eleventh, 0.4 s later, waits one second', 'burst-of-ten', async (app) => {
    expect(await app.statuses(10)).toEqual(times(10, 200))
    await app.advance(400)
    const refused = await app.get()
    expect(refused.status).toBe(429)
    expect(railHeaders(refused)).toEqual({
      'Retry-After': '1',
      'RateLimit-Policy': '"default";q=10;w=10',
      RateLimit: '"default";r=0;t=1',
    })
  }),
  check(
    'a request one millisecond before the end of the wait is refused, one at its end is allowed',
    'burst-of-ten',
    async (app) => {
      await app.statuses(10)
      await app.advance(999)
      expect((await app.get()).status).toBe(429)
      await app.advance(1)
      expect((await app.get()).status).toBe(200)
    },
  ),
  check('a refusal by one of two limits reports both and takes from neither', 'second-and-minute', async (app) => {
    for (let burst = 0; burst < 16; burst++) {
      expect((await app.get('/', { cost: 10 })).status).toBe(200)
      await app.advance(1_000)
    }
    await app.advance(400)
    expect((await app.get('/', { cost: 10 })).status).toBe(200)
    for (let refusal = 0; refusal < 3; refusal++) {
      const refused = await app.get()
      expect(refused.status).toBe(429)
      expect(railHeaders(refused)).toEqual({
        'Retry-After': '1',
        'RateLimit-Policy': '"per_second";q=10;w=1, "per_minute";q=300;w=60',
        RateLimit: '"per_second";r=0;t=1, "per_minute";r=212;t=18',
      })
    }
    await app.advance(1_000)
    expect((await app.get()).header('RateLimit')).toBe('"per_second";r=9;t=1, "per_minute";r=216;t=17')
  }),
  check('of 150 requests within a second, 100 per minute allows 101', 'hundred-per-minute', async (app) => {
    await app.advance(3_600_000)
    const first = await app.statuses(120)
    await app.advance(599)
    const early = await app.statuses(10)
    await app.advance(1)
    const later = await app.statuses(10)
    await app.advance(399)
    const last = await app.statuses(10)
    expect([first, early, later, last].map((statuses) => tally(statuses).get(200) ?? 0)).toEqual([100, 0, 1, 0])
    expect((await app.get()).header('Retry-After')).toBe('1')
  }),
  check('a share of a quarter of 10 per second is 3 per second', 'share-of-four', async (app) => {
    const first = await app.get()
    expect(first.header('RateLimit-Policy')).toBe('"per_second";q=3;w=1')
    expect(await app.statuses(3)).toEqual([200, 200, 429])
  }),
  check(
    'a full bucket of a share allows a cost above the share, and the debt is waited off',
    'share-of-four',
    async (app) => {
      expect((await app.get('/', { cost: 10 })).status).toBe(200)
      // It owes 10 tokens; one more fits when it owes 2, so 8 have to drain at 3 a second.
      await app.advance(2_666)
      expect((await app.get()).status).toBe(429)
      await app.advance(1)
      expect((await app.get()).status).toBe(200)
    },
  ),
  ...[
    { as: 'seven', burst: 7, waitMs: 143 },
    { as: 'eleven', burst: 11, waitMs: 1_182 },
    { as: 'many', burst: 999_983, waitMs: 87 },
    { as: 'month', burst: 1, waitMs: 2_592_000_000 },
  ].map(({ as, burst, waitMs }) =>
    check(
      `an empty bucket of the limit "${as}" allows one after ${waitMs} ms, not before`,
      'odd-limits',
      async (app) => {
        expect((await app.get('/', { as, cost: burst })).status).toBe(200)
        await app.advance(waitMs - 1)
        expect((await app.get('/', { as })).status).toBe(429)
        await app.advance(1)
        expect((await app.get('/', { as })).status).toBe(200)
      },
    ),
  ),
  check('a window of less than a second, and a wait in it, are sent as one second', 'odd-limits', async (app) => {
    await app.get('/', { as: 'brief' })
    expect(railHeaders(await app.get('/', { as: 'brief' }))).toEqual({
      'Retry-After': '1',
      'RateLimit-Policy': '"brief";q=1;w=1',
      RateLimit: '"brief";r=0;t=1',
    })
  }),
  check('a wait longer than clients can count is sent as the longest they can', 'odd-limits', async (app) => {
    await app.get('/', { as: 'month' })
    const refused = await app.get('/', { as: 'month' })
    expect(railHeaders(refused)).toEqual({
      'Retry-After': '2147483',
      'RateLimit-Policy': '"month";q=1;w=2592000',
      RateLimit: '"month";r=0;t=2147483',
    })
  }),
  check(
    'a clock that steps back an hour gives nothing and blocks no customer longer than the bucket takes to fill',
    'five-per-minute',
    async (app) => {
      expect(await app.statuses(6)).toEqual([200, 200, 200, 200, 200, 429])
      await app.advance(-3_600_000)
      const refused = await app.get()
      expect([refused.status, refused.header('Retry-After')]).toEqual([429, '12'])
      await app.advance(12_000)
      expect(await app.statuses(2)).toEqual([200, 429])
    },
  ),
]
