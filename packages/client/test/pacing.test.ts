import { limit, perMinute, perSecond } from '@rail/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bucketServer, logServer, windowServer } from './support/servers.js'
import { simulate } from './support/simulate.js'
import type { World } from './support/world.js'

const kinds = {
  'a bucket of 100 a minute': {
    server: (w: World) => bucketServer([perMinute(100)], w.clock),
    requests: 400,
    idealMs: () => 180_000,
  },
  'a bucket of 100 a second': {
    server: (w: World) => bucketServer([perSecond(100)], w.clock),
    requests: 2_000,
    idealMs: () => 19_000,
  },
  'buckets of 10 a second and 300 a minute': {
    server: (w: World) => bucketServer([perSecond(10), perMinute(300)], w.clock),
    requests: 900,
    idealMs: () => 120_000,
  },
  'a bucket of 1 a second': {
    server: (w: World) => bucketServer([perSecond(1)], w.clock),
    requests: 60,
    // Only an answer has the time of the next token.
    idealMs: (latencyMs: number) => 60 * (1_000 + latencyMs),
  },
  'a window of 100 a minute': {
    server: (w: World) => windowServer(100, 60_000, w.clock),
    requests: 400,
    idealMs: () => 240_000,
  },
  'a log of 100 a minute': {
    server: (w: World) => logServer(100, 60_000, w.clock),
    requests: 400,
    idealMs: () => 240_000,
  },
}

describe.each(Object.entries(kinds))('against %s', (_, { server, requests, idealMs }) => {
  it.each([
    { callers: 1, latencyMs: 2 },
    { callers: 20, latencyMs: 2 },
    { callers: 20, latencyMs: 100 },
    { callers: 200, latencyMs: 300 },
  ])('$callers callers $latencyMs ms away are never refused, and fill the limit', async ({ callers, latencyMs }) => {
    const { refusals, tookMs } = await simulate({ server, callers, requests, latencyMs, seed: 1 })
    expect(refusals).toBe(0)
    // One at a time cannot fill a limit that has room for more.
    const turnsMs = (requests / callers) * latencyMs
    expect(tookMs).toBeLessThan(Math.max(idealMs(latencyMs), turnsMs) * 1.1 + 1_000)
  })

  it('many callers without pacing are refused', async () => {
    const options = { pace: false, maxWait: Number.POSITIVE_INFINITY, retries: 1_000 }
    const { refusals } = await simulate({ server, callers: 20, requests, latencyMs: 100, seed: 1, options })
    expect(refusals).toBeGreaterThan(0)
  })
})

describe('with any limit', () => {
  const aServer = fc.oneof(
    fc
      .array(fc.record({ tokens: fc.integer({ min: 1, max: 300 }), perMs: fc.integer({ min: 100, max: 90_000 }) }), {
        minLength: 1,
        maxLength: 3,
      })
      .map(
        (limits) => (w: World) =>
          bucketServer(
            limits.map(({ tokens, perMs }, index) =>
              limit({ name: `limit${index}`, tokens, per: perMs, burst: tokens }),
            ),
            w.clock,
          ),
      ),
    fc
      .record({ quota: fc.integer({ min: 1, max: 300 }), seconds: fc.integer({ min: 1, max: 90 }), log: fc.boolean() })
      .map(
        ({ quota, seconds, log }) =>
          (w: World) =>
            (log ? logServer : windowServer)(quota, seconds * 1_000, w.clock),
      ),
  )

  it('no caller is ever refused, in whatever order answers arrive', async () => {
    const aSimulation = fc.record({
      server: aServer,
      callers: fc.integer({ min: 1, max: 60 }),
      requests: fc.integer({ min: 1, max: 300 }),
      latencyMs: fc.integer({ min: 0, max: 2_000 }),
      seed: fc.integer(),
      options: fc.record({
        reserve: fc.double({ min: 0, max: 1, noNaN: true }),
        maxWait: fc.constant(Number.POSITIVE_INFINITY),
      }),
    })
    await fc.assert(
      fc.asyncProperty(aSimulation, async (simulation) => {
        expect((await simulate(simulation)).refusals).toBe(0)
      }),
      { numRuns: 100 },
    )
  })
})
