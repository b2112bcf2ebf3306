import { expect, test } from 'vitest'
import { createLimiter, manualClock, perSecond, share } from '../../src/index.js'

test('shares of one limit are not definitions that take turns, however often servers come and go', async () => {
  const clock = manualClock()
  let servers = 4
  const limiter = createLimiter<object>({
    identify: () => 'acme',
    limits: () => [share(perSecond(10), servers)],
    clock,
  })
  const bursts: (number | undefined)[] = []
  for (servers of [4, 5, 4, 5, 4, 1, 5, 1]) {
    clock.advance(1)
    bursts.push((await limiter.take({})).decision?.limits[0]?.limit.burst)
  }
  expect(bursts).toEqual([3, 2, 3, 2, 3, 10, 2, 10])
})
