import { perSecond } from '@rail/core'
import { describe, expect, it } from 'vitest'
import { createClient } from '../src/index.js'
import { bucketServer } from './support/servers.js'
import { seeded, World } from './support/world.js'

const [ROWS, BURST, PER_SECOND, FAILING] = [2_000, 100, 100, 0.05] as const

/** Imports rows, 32 at once, into a server that fails now and then, half of the times after it has carried the write out. */
async function importRows(seed: number) {
  const world = new World()
  const random = seeded(seed)
  const limited = bucketServer([perSecond(PER_SECOND)], world.clock)
  const keys = new Set<string>()
  const writes = new Map<string, number>()
  const seen = { refused: 0, failed: 0 }
  const client = createClient({
    idempotencyKey: true,
    clock: world.clock,
    timer: world.timer,
    random,
    fetch: async (url, init) => {
      await world.sleep(random() * 20)
      const response = limited()
      const key = new Headers(init?.headers).get('Idempotency-Key') ?? ''
      const fate = random()
      if (response.status === 429) seen.refused++
      else if (fate >= FAILING / 2 && !keys.has(key)) writes.set(String(url), (writes.get(String(url)) ?? 0) + 1)
      if (response.status === 200 && fate >= FAILING / 2) keys.add(key)
      await world.sleep(random() * 20)
      if (response.status === 429 || fate >= FAILING) return response
      seen.failed++
      return new Response(null, { status: 503, headers: response.headers })
    },
  })
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < ROWS) expect((await client(`http://api.test/${next++}`, { method: 'POST' })).status).toBe(200)
  }
  await world.until(Promise.all(Array.from({ length: 32 }, worker)))
  return { ...seen, writes, seconds: world.now / 1_000 }
}

describe('an importer of 2,000 writes against 100 a second, one in twenty of them answered 503', () => {
  it.each([1, 2, 3, 4, 5])(
    'writes each row once, is never refused, and takes at most a twentieth longer than is ideal (seed %i)',
    async (seed) => {
      const { refused, failed, writes, seconds } = await importRows(seed)
      expect(failed).toBeGreaterThan(50)
      expect(refused).toBe(0)
      expect(writes.size).toBe(ROWS)
      expect(Math.max(...writes.values())).toBe(1)
      // No client can be faster: after a burst, each request that the server counts has to wait for its token.
      const idealSeconds = (ROWS + failed - BURST) / PER_SECOND
      expect(seconds).toBeLessThan(idealSeconds * 1.05)
    },
  )
})
