import { testStore } from '@rail/conformance'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import { RedisStore } from '../../src/index.js'

const port = inject('redisPort')

describe.skipIf(port === 0)('redis', () => {
  const client = createClient({ url: `redis://127.0.0.1:${port}`, disableOfflineQueue: true })
  beforeAll(async () => {
    await client.connect()
  })
  afterAll(() => {
    client.destroy()
  })
  let stores = 0
  testStore({
    name: 'redis',
    create: () => new RedisStore({ client, prefix: `store-${++stores}:`, useGivenTime: true, deadlineMs: 60_000 }),
    destroy: (store) => (store as RedisStore).close(),
  })
})
