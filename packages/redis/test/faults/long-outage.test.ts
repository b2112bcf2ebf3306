import { describe, expect, inject, test } from 'vitest'
import { outage } from '../support/outage.js'

const SECONDS = 60

describe.skipIf(inject('redisPort') === 0).concurrent(`${SECONDS} seconds without Redis at 500 takes a second`, () => {
  test.each([
    ['node-redis 6', 'stands still'],
    ['ioredis 6', 'refuses'],
  ] as const)(
    'with %s, a Redis that %s: none waits, nothing grows, and it is used again within 2 s',
    async (client, fault) => {
      const told = await outage(client, fault, SECONDS)
      console.info(told)
      expect(Number(/recovered in ([\d.]+)/.exec(told)?.[1])).toBeLessThan(2_000)
    },
    240_000,
  )
})
