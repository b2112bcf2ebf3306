import { expect, it } from 'vitest'
import { estimateFor } from '../../src/importer/progress.js'
import { plans } from '../../src/server/plans.js'
import { importInVirtualTime } from '../virtual-import.js'

const COUNT = 40_000
const perMinute = { free: 100, pro: 1_000 }

it('40,000 links are estimated to take 400 minutes at 100 a minute, and 40 on pro', () => {
  expect(estimateFor(COUNT, 'free', perMinute)).toBe('400 minutes at 100 a minute; 40 on pro')
  expect(plans.plans).toMatchObject({
    free: { scopes: { writes: { per_minute: { tokens: perMinute.free } } } },
    pro: { scopes: { writes: { per_minute: { tokens: perMinute.pro } } } },
  })
})

// A quarter of them on free: a client that keeps to a minute's limit a hundred times keeps to it.
it.each([
  [10_000, 'free', 100, 'snip_free_ada'],
  [COUNT, 'pro', 40, 'snip_pro_grace'],
] as const)(
  '%i links on the plan %s take %i minutes: each is there once, and no request is refused',
  async (count, _plan, estimated, apiKey) => {
    const { minutes, statuses, links } = await importInVirtualTime(count, apiKey)
    expect(statuses).toEqual({ 201: count })
    expect(links).toEqual({ all: count, urls: count })
    // The estimate is rounded up: the import ends within its last minute.
    expect(Math.ceil(minutes)).toBe(estimated)
  },
  // Hours of virtual time are half a minute of a quiet machine.
  600_000,
)
