import { once } from 'node:events'
import { describe, expect, inject, test } from 'vitest'
import { slotOf } from '../../src/key-name.js'
import { startChild } from '../support/child.js'
import { CLIENTS, CLUSTER_CLIENTS } from '../support/clients.js'
import { startFaultProxy } from '../support/fault-proxy.js'
import { startRedisCluster } from '../support/redis-cluster.js'
import { startRedisServer } from '../support/redis-server.js'

const FAULTS = ['nothing', 'a blackhole', 'a refusal', 'a killed server', 'a close at once'] as const
// A process for each client, so that a failure names the client.
describe.skipIf(inject('redisPort') === 0).concurrent.each(CLIENTS)('with $name', ({ name }) => {
  test.each(FAULTS)(
    'after %s a process ends by itself once the store and its client are closed',
    async (fault) => {
      const server = await startRedisServer()
      const proxy = await startFaultProxy(server.port)
      const child = startChild(
        './exit.child.ts',
        name,
        String(proxy.port),
        fault === 'a close at once' ? 'at once' : '',
      )
      await once(child.process, 'message')
      if (fault === 'a blackhole' || fault === 'a close at once') proxy.mode = 'blackhole'
      if (fault === 'a refusal') await proxy.refuse()
      if (fault === 'a killed server') {
        server.kill('SIGKILL')
        await once(server.process, 'exit')
      }
      const answer = once(child.process, 'message')
      const exit = once(child.process, 'exit')
      child.process.send('go')
      // On a slow machine a deadline may be missed with nothing broken.
      if (fault === 'nothing') await answer
      else expect((await answer)[0], child.output()).toEqual(['RAIL_STORE_FAILED'])
      expect([await exit, child.output()]).toEqual([[0, null], ''])
      await proxy.close()
      await server.stop()
    },
    60_000,
  )
})

test.skipIf(inject('redisPort') === 0)(
  'after a node of its cluster was lost a process ends by itself once the stores and their clients are closed',
  async () => {
    const cluster = await startRedisCluster()
    const all = CLUSTER_CLIENTS.map((kind) => kind.name).join(';')
    const child = startChild('./exit.child.ts', all, String(cluster.port))
    await once(child.process, 'message')
    const lost = cluster.nodeOf(slotOf('acme'))
    lost.kill('SIGKILL')
    await once(lost.process, 'exit')
    const answer = once(child.process, 'message')
    const exit = once(child.process, 'exit')
    child.process.send('go')
    expect((await answer)[0], child.output()).toEqual(['RAIL_STORE_FAILED'])
    expect([await exit, child.output()]).toEqual([[0, null], ''])
    await cluster.stop()
  },
  60_000,
)
