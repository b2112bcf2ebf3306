import { once } from 'node:events'
import { createClient as createClient6 } from 'redis'
import { createClient as createClient5 } from 'redis5'
import { describe, expect, inject, test } from 'vitest'
import { RedisStore } from '../../src/index.js'
import { startRedisServer } from '../support/redis-server.js'
import { counted, taken, takenAtLast } from '../support/takes.js'

const socket = { host: '127.0.0.1', reconnectStrategy: () => 50 }

// With its offline queue, as it comes: what is not written yet would be, once the client has connected again. ioredis can
// only be told at its making, so a store refuses one that has it (options.test.ts).
describe.skipIf(inject('redisPort') === 0).each([
  // Both versions' options are alike; their types are not each other's.
  ['node-redis 5', createClient5 as unknown as typeof createClient6],
  ['node-redis 6', createClient6],
])('%s with its offline queue', (_, createClient) => {
  test('does not send a take after its deadline that was still to be written when the connection was lost', async () => {
    const server = await startRedisServer()
    const client = createClient({ socket: { ...socket, port: server.port } })
    client.on('error', () => {})
    await client.connect()
    const store = new RedisStore({ client })
    const patient = new RedisStore({ client, deadlineMs: 60_000 })
    await takenAtLast(patient, 'warm')
    server.kill('SIGSTOP')
    // More than the buffers of a connection hold. What comes after it is written one by one, a command a turn.
    const stuck = client.set('stuck', 'x'.repeat(64_000_000)).catch(() => 'lost')
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    setImmediate(() => void client.get('stuck').catch(() => {}))
    expect(await taken(store, 'late')).toMatchObject({ code: 'RAIL_STORE_FAILED' })
    server.kill('SIGKILL')
    await once(server.process, 'exit')
    await server.restart()
    await takenAtLast(patient, 'again')
    expect([await stuck, await counted(patient, 'late'), await counted(patient, 'again')]).toEqual(['lost', 0, 1])
    store.close()
    patient.close()
    client.destroy()
    await server.stop()
  })
})
