import { createClient } from 'redis'
import { afterAll, afterEach, expect, inject } from 'vitest'
import { stopRedisServers } from './redis-server.js'

const port = inject('redisPort')
let ran = 0

// In Redis itself, since these tests run in several processes: the global teardown says how many ran.
if (port !== 0 && /\/(live|faults)\//.test(expect.getState().testPath ?? '')) {
  afterEach(() => {
    ran++
  })
  afterAll(async () => {
    const client = createClient({ socket: { host: '127.0.0.1', port } })
    await client.connect()
    await client.incrBy('rail:tests-that-ran', ran)
    client.destroy()
    stopRedisServers()
  })
}
