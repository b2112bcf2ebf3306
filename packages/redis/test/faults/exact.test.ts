import { once } from 'node:events'
import { perSecond } from '@rail/core'
import { createClient } from 'redis'
import { expect, inject, test } from 'vitest'
import { RedisStore } from '../../src/index.js'
import { startChild } from '../support/child.js'

const port = inject('redisPort')
const SECONDS = 20

test.skipIf(port === 0)(
  `four processes flooding one customer for ${SECONDS} s admit exactly floor(burst + rate * time)`,
  async () => {
    const client = createClient({ socket: { host: '127.0.0.1', port }, disableOfflineQueue: true })
    await client.connect()
    await client.del('rail:{acme}')
    const store = new RedisStore({ client, deadlineMs: 60_000 })
    const take = async (cost = 1): Promise<boolean> =>
      (await store.take([{ key: 'acme', limits: [perSecond(10)], cost }], 0)).allowed
    /** The moment of the last take, by Redis's TIME: every take writes it, a refused one too. */
    const lastTakeAt = async (): Promise<number> => {
      const script = `
        local value = redis.call('GET', KEYS[1])
        local at = struct.unpack('<d', value, string.find(value, '\\n', 1, true) + 1)
        return string.format('%.0f', at)`
      return Number(await client.eval(script, { keys: ['rail:{acme}'] }))
    }

    const children = Array.from({ length: 4 }, () => startChild('./flood.child.ts', String(port)))
    await Promise.all(children.map((child) => once(child.process, 'message')))
    expect(await take(10)).toBe(true)
    let admitted = 10
    const firstAt = await lastTakeAt()
    let stopped = false
    // Floods too, so that the bucket is never full while the others begin.
    const own = (async () => {
      while (!stopped) if (await take()) admitted++
    })()
    for (const { process } of children) process.send('go')
    await new Promise((resolve) => setTimeout(resolve, SECONDS * 1_000))
    const counts = children.map(async ({ process }): Promise<{ admitted: number; asked: number }> => {
      const answer = once(process, 'message')
      process.send('stop')
      return (await answer)[0]
    })
    const shares = await Promise.all(counts)
    stopped = true
    await own
    for (const share of shares) admitted += share.admitted
    // The last take must be a refused one, whatever the machine did: then nothing is left that was not admitted.
    while (await take()) admitted++
    const time = (await lastTakeAt()) - firstAt
    store.close()
    client.destroy()

    for (const share of shares) expect(share.asked).toBeGreaterThan(0)
    expect(time).toBeGreaterThan(SECONDS * 900)
    expect(admitted).toBe(Math.floor(10 + (10 * time) / 1_000))
  },
  SECONDS * 1_000 + 60_000,
)
