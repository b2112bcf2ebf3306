import { expect } from 'vitest'
import { type AdapterCheck, check } from './check.js'

/** Clients that leave, and clients that wait. */
export const clientChecks: readonly AdapterCheck[] = [
  check(
    'a request whose client leaves before the store has answered reaches its handler, and is charged',
    'slow-store',
    async (app) => {
      const gone = app.send('/', { cost: 3 })
      await app.until(({ called }) => called.take === 1)
      await gone.left()
      // Two answers on other connections: by then the server has seen the end of the first.
      await app.seen()
      await app.seen()
      expect((await app.get('/', { as: 'other' })).status).toBe(200)
      await app.until(({ handled }) => handled === 2)
      expect((await app.get('/', { cost: 0 })).header('RateLimit')).toBe('"per_minute";r=2;t=36')
    },
    'shared-promise',
  ),
  check(
    'settling works when the client left before the store had answered',
    'slow-store',
    async (app) => {
      const gone = app.send('/', { cost: 3 })
      await app.until(({ called }) => called.take === 1)
      await gone.left()
      await app.seen()
      await app.seen()
      await app.get('/', { as: 'other', cost: 5 })
      await app.until(({ handled }) => handled === 2)
      await app.settle(0)
      expect((await app.get('/', { cost: 0 })).header('RateLimit')).toBe('"per_minute";r=5;t=0')
    },
    'shared-promise',
  ),
  check('settling works when the client left before the first byte', 'five-per-minute', async (app) => {
    const gone = app.send('/hang', { cost: 3 })
    await app.until(({ handled }) => handled === 1)
    await gone.left()
    await app.seen()
    await app.settle(0)
    expect((await app.get('/', { cost: 0 })).header('RateLimit')).toBe('"per_minute";r=5;t=0')
  }),
  check(
    'settling works when a response broke on its way',
    'five-per-minute',
    async (app) => {
      await app.leave('/broken-stream', { cost: 4 })
      await app.settle(1)
      expect((await app.get('/', { cost: 0 })).header('RateLimit')).toBe('"per_minute";r=4;t=12')
      expect((await app.seen()).handled).toBe(2)
    },
    'broken-stream',
  ),
  check('settling after everything has come back by itself gives nothing twice', 'five-per-minute', async (app) => {
    await app.get('/', { cost: 4 })
    await app.advance(60_000)
    await app.settle(0)
    expect(await app.statuses(6)).toEqual([200, 200, 200, 200, 200, 429])
  }),
  check(
    'a queue that waits as long as each refusal says is served in its order, never early or late',
    'waits-in-ms',
    async (app) => {
      const waiting = Array.from({ length: 8 }, (_, client) => ({ client, at: 0 }))
      const served: [client: number, at: number][] = []
      let now = 0
      while (waiting.length > 0) {
        waiting.sort((a, b) => a.at - b.at || a.client - b.client)
        const [next] = waiting as [{ client: number; at: number }]
        await app.advance(next.at - now)
        now = next.at
        const { status, body } = await app.get()
        if (status === 429) next.at = now + Number(body)
        else served.push([(waiting.shift() as { client: number }).client, now])
        expect(next.at === now && status === 429).toBe(false)
      }
      expect(served).toEqual([0, 0, 500, 1_000, 1_500, 2_000, 2_500, 3_000].map((at, client) => [client, at]))
    },
  ),
]
