import { expect, it } from 'vitest'
import { estimateFor } from '../../src/importer/progress.js'
import { plans } from '../../src/server/plans.js'
import { importInVirtualTime } from '../virtual-import.js'

const COUNT = 40_000
const perMinute = { free: 100, pro: 1_000 }

it('40,000 links are told to take 400 minutes at 100 a minute, and 40 on pro', () => {
  expect(estimateFor(COUNT, 'free', perMinute)).toBe('400 minutes at 100 a minute; 40 on pro')
  expect(plans.plans).toMatchObject({
    free: { scopes: { writes: { per_minute: { tokens: perMinute.free } } } },
    pro: { scopes: { writes: { per_minute: { tokens: perMinute.pro } } } },
  })
})

it.each([
  ['free', 'snip_free_ada', 400],
  ['pro', 'snip_pro_grace', 40],
] as const)(
  'and on the plan %s they do: each link is there once, and no request is refused',
  async (_plan, apiKey, told) => {
    const { minutes, statuses, links } = await importInVirtualTime(COUNT, apiKey)
    expect(statuses).toEqual({ 201: COUNT })
    expect(links).toEqual({ all: COUNT, urls: COUNT })
    // Rounded up, as it was told: no sooner than a minute before, and not later.
    expect(Math.ceil(minutes)).toBe(told)
  },
  // Hours of virtual time are half a minute of a quiet machine.
  600_000,
)
