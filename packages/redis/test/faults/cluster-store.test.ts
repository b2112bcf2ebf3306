import { testStore } from '@rail/conformance'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import { RedisStore } from '../../src/index.js'
import { CLUSTER_CLIENTS, type OpenClient } from '../support/clients.js'
import { type RedisCluster, startRedisCluster } from '../support/redis-cluster.js'

let stores = 0

describe.skipIf(inject('redisPort') === 0)('a cluster', () => {
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
    const create = () =>
      new RedisStore({
        client: opened.client,
        prefix: `store-${++stores}:`,
        tag: () => 'one',
        useGivenTime: true,
        deadlineMs: 60_000,
      })
    testStore({ name, create, destroy })
  })
})
