import { afterEach, describe, expect, inject, test } from 'vitest'
import { RedisStore } from '../../src/index.js'
import { CLIENTS, CLUSTER_CLIENTS, type ClientKind } from '../support/clients.js'
import { startFaultProxy } from '../support/fault-proxy.js'
import { startRedisCluster } from '../support/redis-cluster.js'
import { startRedisServer } from '../support/redis-server.js'
import { counted, isSettledWithin, taken, takenAtLast } from '../support/takes.js'

const DEADLINE_MS = 50

describe.skipIf(inject('redisPort') === 0)('an API that starts while Redis is away', () => {
  const ends: (() => unknown)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end()
  })

  /** Starts where nothing listens: no take waits. Then Redis comes, and the takes are counted. */
  async function start({ name, begin }: ClientKind, target: number): Promise<void> {
    const proxy = await startFaultProxy(target)
    ends.push(() => proxy.close())
    await proxy.refuse()
    const { client, close } = begin(proxy.port)
    const store = new RedisStore({ client, deadlineMs: DEADLINE_MS, prefix: `${name}:` })
    const patient = new RedisStore({ client, deadlineMs: 60_000, prefix: `${name}:` })
    ends.push(
      close,
      () => store.close(),
      () => patient.close(),
    )
    for (let request = 0; request < 10; request++) {
      const take = taken(store)
      expect(await isSettledWithin([DEADLINE_MS, DEADLINE_MS, 20], take)).toBe(true)
      expect(await take).toMatchObject({ message: expect.stringMatching(/^Redis: .* its client is not /) })
    }
    await proxy.listen()
    await takenAtLast(patient)
    expect(await counted(patient)).toBe(1)
  }

  test.each(CLIENTS)('is answered at once with $name, and limited as soon as Redis is there', async (kind) => {
    const server = await startRedisServer()
    ends.push(() => server.stop())
    await start(kind, server.port)
  })

  test('is answered at once with clients of a cluster, and limited as soon as that is there', async () => {
    const cluster = await startRedisCluster()
    ends.push(() => cluster.stop())
    for (const kind of CLUSTER_CLIENTS) await start(kind, cluster.port)
  })
})
