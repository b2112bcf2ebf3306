import { perMinute } from '@rail/core'
import { describe, expect, inject, test, vi } from 'vitest'
import { RedisStore } from '../../src/index.js'
import { CLIENTS, CLUSTER_CLIENTS, type OpenClient } from '../support/clients.js'
import { startRedisCluster, tell } from '../support/redis-cluster.js'
import { startRedisServer } from '../support/redis-server.js'

const EVICTS = ['--maxmemory', '100mb', '--maxmemory-policy']

describe.skipIf(inject('redisPort') === 0)('a policy by which Redis forgets what is owed', () => {
  /** What a new store that takes twice reports. */
  async function reportsOf(client: OpenClient['client'], warned = false): Promise<string[]> {
    const errors: unknown[] = []
    const onError = (error: unknown): void => void errors.push(error)
    if (warned) vi.spyOn(process, 'emitWarning').mockImplementation(onError)
    const store = new RedisStore({ client, deadlineMs: 60_000, ...(warned ? {} : { onError }) })
    for (let request = 0; request < 2; request++) {
      await store.take([{ key: 'acme', limits: [perMinute(9)], cost: 1 }], 0)
      // The question is behind the take on the same connection; its answer, behind that of another take.
      await store.peek([{ key: 'acme', limits: [perMinute(9)], cost: 1 }], 0)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    store.close()
    for (const error of errors) expect(error).toMatchObject({ name: 'RailError', code: 'RAIL_REDIS_EVICTS' })
    return errors.map((error) => (error as Error).message)
  }

  async function withServer(more: readonly string[], use: (port: number) => Promise<void>): Promise<void> {
    const server = await startRedisServer(more)
    await use(server.port)
    await server.stop()
  }

  test('is a warning where the store has no onError', async () => {
    await withServer([...EVICTS, 'allkeys-lru'], async (port) => {
      const { client, close } = await (CLIENTS[1] as (typeof CLIENTS)[number]).open(port)
      expect(await reportsOf(client, true)).toEqual([expect.stringContaining('got "allkeys-lru"')])
      close()
    })
  })

  test.each(CLIENTS)(
    'is reported once for a server, however many clients and stores it has, with $name',
    async ({ open }) => {
      for (const policy of ['allkeys-lru', 'volatile-lru']) {
        await withServer([...EVICTS, policy], async (port) => {
          const [first, second] = [await open(port), await open(port)]
          expect(await reportsOf(first.client)).toEqual([expect.stringContaining(`got "${policy}"`)])
          expect(await reportsOf(first.client)).toEqual([])
          expect(await reportsOf(second.client)).toEqual([])
          first.close()
          second.close()
        })
      }
    },
  )

  test.each(CLIENTS)('is reported only where Redis has a bound and drops by it, with $name', async ({ open }) => {
    for (const more of [
      ['--maxmemory-policy', 'allkeys-lru'],
      [...EVICTS, 'noeviction'],
      [...EVICTS, 'volatile-ttl'],
    ]) {
      await withServer(more, async (port) => {
        const { client, close } = await open(port)
        expect(await reportsOf(client)).toEqual([])
        close()
      })
    }
  })

  test('is reported for any node of a cluster', async () => {
    for (const { open } of CLUSTER_CLIENTS) {
      const cluster = await startRedisCluster()
      const [, , last] = cluster.nodes
      if (last === undefined) throw new Error('three nodes')
      await tell(last, 'CONFIG', 'SET', 'maxmemory', '100mb', 'maxmemory-policy', 'allkeys-lfu')
      const { client, close } = await open(cluster.port)
      await new Promise((resolve) => setTimeout(resolve, 100))
      expect(await reportsOf(client)).toEqual([expect.stringContaining('got "allkeys-lfu"')])
      close()
      await cluster.stop()
    }
  }, 120_000)

  test('is not reported where Redis does not reply to INFO', async () => {
    const server = await startRedisServer([...EVICTS, 'allkeys-lru'])
    const opened = await Promise.all(CLIENTS.map(({ open }) => open(server.port)))
    await tell(server, 'ACL', 'SETUSER', 'default', '-info')
    for (const { client, close } of opened) {
      expect(await reportsOf(client)).toEqual([])
      close()
    }
    await server.stop()
  })
})
