import { perMinute } from '@rail/core'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { RedisStore } from '../../src/index.js'
import { CLIENTS, CLUSTER_CLIENTS } from '../support/clients.js'
import { startRedisCluster, tell } from '../support/redis-cluster.js'
import { startRedisServer } from '../support/redis-server.js'

describe.skipIf(inject('redisPort') === 0)('a policy by which Redis forgets what is owed', () => {
  const warnings: Error[] = []
  const hear = (warning: Error): void => {
    if ('code' in warning && warning.code === 'RAIL_REDIS_EVICTS') warnings.push(warning)
  }
  // Node's own listener prints.
  const printing = process.listeners('warning')
  beforeEach(() => {
    process.removeAllListeners('warning').on('warning', hear)
  })
  afterEach(() => {
    process.removeAllListeners('warning')
    for (const listener of printing) process.on('warning', listener)
  })

  /** The warnings of a new store that takes twice. */
  async function warningsOf(client: ConstructorParameters<typeof RedisStore>[0]['client']): Promise<string[]> {
    warnings.length = 0
    const store = new RedisStore({ client, deadlineMs: 60_000 })
    for (let request = 0; request < 2; request++) {
      await store.take([{ key: 'acme', limits: [perMinute(9)], cost: 1 }], 0)
      // The question is behind the take on the same connection; its answer, behind that of another take.
      await store.peek([{ key: 'acme', limits: [perMinute(9)], cost: 1 }], 0)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    store.close()
    return warnings.map((warning) => warning.message)
  }

  test.each(CLIENTS)('is warned of once, with $name', async ({ open }) => {
    const server = await startRedisServer()
    const { client, close } = await open(server.port)
    for (const policy of ['noeviction', 'volatile-ttl']) {
      await tell(server, 'CONFIG', 'SET', 'maxmemory-policy', policy)
      expect(await warningsOf(client)).toEqual([])
    }
    for (const policy of ['allkeys-lru', 'volatile-lru', 'allkeys-random']) {
      await tell(server, 'CONFIG', 'SET', 'maxmemory-policy', policy)
      expect(await warningsOf(client)).toEqual([expect.stringContaining(`got "${policy}"`)])
    }
    close()
    await server.stop()
  })

  test('is warned of once, for any node of a cluster', async () => {
    const cluster = await startRedisCluster()
    const [, , last] = cluster.nodes
    if (last === undefined) throw new Error('three nodes')
    await tell(last, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lfu')
    for (const { open } of CLUSTER_CLIENTS) {
      const { client, close } = await open(cluster.port)
      await new Promise((resolve) => setTimeout(resolve, 100))
      expect(await warningsOf(client)).toEqual([expect.stringContaining('got "allkeys-lfu"')])
      close()
    }
    await cluster.stop()
  }, 60_000)

  test('gives no warning where Redis does not reply to INFO', async () => {
    const server = await startRedisServer()
    await tell(server, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
    const opened = await Promise.all(CLIENTS.map(({ open }) => open(server.port)))
    await tell(server, 'ACL', 'SETUSER', 'default', '-info')
    for (const { client, close } of opened) {
      expect(await warningsOf(client)).toEqual([])
      close()
    }
    await server.stop()
  })
})
