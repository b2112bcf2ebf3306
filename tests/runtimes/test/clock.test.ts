import { expect, test } from 'vitest'
import { runtimes } from './runtimes.js'

/** What a runtime may tell the time by, in milliseconds. */
const RESOLUTION_MS = 10

// The suite of adapters moves a clock of its own: only here time is the runtime's.
test.each(Object.entries(runtimes))('on %s time passes for a limiter as it does for its clients', async (_, start) => {
  const { url, stop } = await start('clock')
  try {
    const began = performance.now()
    const passed = (): number => performance.now() - began
    // One each half second: the third comes after a whole one, however slow requests are.
    for (let admitted = 0; admitted < 3; ) {
      const { status } = await fetch(url, { headers: { connection: 'close' } })
      expect([200, 429]).toContain(status)
      if (status === 200) admitted++
      expect(passed()).toBeLessThan(60_000)
    }
    expect(passed()).toBeGreaterThanOrEqual(1_000 - RESOLUTION_MS)
  } finally {
    await stop()
  }
})
