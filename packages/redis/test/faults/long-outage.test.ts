import { describe, expect, inject, test } from 'vitest'
import { outage } from '../support/outage.js'

/** `RAIL_OUTAGE_SECONDS=60` is the long proof. */
const SECONDS = Number(process.env.RAIL_OUTAGE_SECONDS ?? 20)

// Each client meets a good part of them; all of them, each client meets for a moment in one-server.test.ts.
describe.skipIf(inject('redisPort') === 0).concurrent(`${SECONDS} seconds of trouble at 500 takes a second`, () => {
  test.each([
    ['node-redis 6', 'stands still'],
    ['ioredis 6', 'refuses'],
    ['node-redis 5', 'is killed'],
    ['ioredis 5', 'is behind a black hole'],
    ['ioredis 6', 'forgets its scripts'],
    ['node-redis 6', 'forgets everything'],
    ['ioredis 5', 'is out of memory'],
    ['node-redis 5', 'holds something else'],
    ['ioredis 6', 'answers late'],
    ['node-redis 6', 'resets connections'],
    ['node-redis 6, cluster', 'has lost a node of its cluster'],
    ['ioredis 6, cluster', 'has lost a node of its cluster'],
    ['node-redis 6, cluster', 'moves a slot of its cluster to and fro'],
    ['ioredis 6, cluster', 'moves a slot of its cluster to and fro'],
  ] as const)(
    'with %s, a Redis that %s: none waits, nothing grows or is counted twice, and it is used again within 2 s',
    async (client, fault) => {
      const told = await outage(client, fault, SECONDS)
      console.info(told)
      expect(Number(/recovered in ([\d.]+)/.exec(told)?.[1])).toBeLessThan(2_000)
    },
    240_000,
  )
})
