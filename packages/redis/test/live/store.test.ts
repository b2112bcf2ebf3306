import { testStore } from '@rail/conformance'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import { RedisStore, type RedisStoreOptions } from '../../src/index.js'
import { CLIENTS, type OpenClient } from '../support/clients.js'

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
