import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { drawHerd } from '../scripts/draw-herd.js'
import { busiest, herd, later, mean, naive, rail } from './support/herd.js'

describe('500 clients that are refused together, with the same wait', () => {
  it.each([1, 2, 3, 4, 5])(
    'come back spread: the busiest later second is under 3 times the mean (seed %i)',
    async (seed) => {
      const seconds = later(await herd(rail, 100, seed))
      expect(busiest(seconds)).toBeLessThan(3 * mean(seconds))
      expect(busiest(seconds)).toBeLessThan(500 / 4)
    },
  )

  it('come back together if they wait for exactly Retry-After', async () => {
    expect(busiest(later(await herd(naive, 100, 1)))).toBe(500)
  })

  it.each([25, 50, 100, 200])(
    'send less than half of what naive ones do, or hardly more than needed (%i served a second)',
    async (rate) => {
      const total = async (behaviour: typeof rail) =>
        (await herd(behaviour, rate, 1)).reduce((sum, requests) => sum + requests)
      expect(await total(rail)).toBeLessThanOrEqual(Math.max(1_000, (await total(naive)) / 2))
    },
  )

  it('are drawn in the docs as measured', async () => {
    const drawn = readFileSync(new URL('../../../docs/guides/client-herd.svg', import.meta.url), 'utf8')
    expect(drawn).toBe(await drawHerd())
  })
})
