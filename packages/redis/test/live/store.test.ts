import { testStore } from '@rail/conformance'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import { RedisStore, type RedisStoreOptions } from '../../src/index.js'
import { CLIENTS, CLUSTER_CLIENTS, type OpenClient } from '../support/clients.js'
import { type RedisCluster, startRedisCluster } from '../support/redis-cluster.js'

const port = inject('redisPort')
let stores = 0

/** A store with no buckets in it, that waits for a slow machine. */
function fresh(options: RedisStoreOptions): RedisStore {
  return new RedisStore({ ...options, prefix: `store-${++stores}:`, useGivenTime: true, deadlineMs: 60_000 })
}

describe.skipIf(port === 0).each(CLIENTS)('$name', ({ name, open }) => {
  let opened: OpenClient
  beforeAll(async () => {
    opened = await open(port)
  })
  afterAll(() => opened.close())
  const destroy = (store: unknown): void => (store as RedisStore).close()
  testStore({ name, create: () => fresh({ client: opened.client }), destroy })
})

describe.skipIf(port === 0)('a cluster', () => {
  let cluster: RedisCluster
  beforeAll(async () => {
    cluster = await startRedisCluster()
  }, 60_000)
  afterAll(() => cluster.stop())

  // The other versions are seen in a cluster by cluster.test.ts.
  describe.each(CLUSTER_CLIENTS.filter(({ name }) => name.includes('6')))('$name', ({ name, open }) => {
    let opened: OpenClient
    beforeAll(async () => {
      opened = await open(cluster.port)
    })
    afterAll(() => opened.close())
    const destroy = (store: unknown): void => (store as RedisStore).close()
    // All keys of a test have one tag, as charges of several keys in one request must.
    testStore({ name, create: () => fresh({ client: opened.client, tag: () => 'one' }), destroy })
  })
})
