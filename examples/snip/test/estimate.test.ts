import { expect, it } from 'vitest'
import { importInVirtualTime } from './virtual-import.js'

it.each([
  ['free', 'snip_free_ada', 100, 20],
  ['pro', 'snip_pro_grace', 1_000, 200],
] as const)(
  'an import on the plan %s takes as long as was told before it began, and is never refused',
  async (_plan, apiKey, perMinute, atOnce) => {
    const count = 1_000
    const { summary, minutes, statuses } = await importInVirtualTime(count, apiKey)
    expect(summary).toMatchObject({ created: count, failed: 0, stopped: undefined })
    expect(statuses).toEqual({ 201: count })
    // Nobody can be faster: all but the first burst wait for their tokens.
    expect(minutes).toBeGreaterThanOrEqual(((count - atOnce) / perMinute) * 0.99)
    expect(minutes).toBeLessThan((count / perMinute) * 1.05)
  },
)
