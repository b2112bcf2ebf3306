import { once } from 'node:events'
import { expect, inject, test } from 'vitest'
import { RedisStore } from '../../src/index.js'
import { slotOf } from '../../src/key-name.js'
import { CLUSTER_CLIENTS } from '../support/clients.js'
import { tell, until } from '../support/redis-cluster.js'
import { startRedisClusterWithReplicas } from '../support/redis-cluster-with-replicas.js'
import { counted, taken, takenAtLast } from '../support/takes.js'

const DEADLINE_MS = 50

test.skipIf(inject('redisPort') === 0)(
  'when a replica takes over from a master that is lost, every client finds it within 2 s, and what was counted is there',
  async () => {
    const cluster = await startRedisClusterWithReplicas()
    const { master, replica } = await cluster.pairOf(slotOf('acme'))
    // A node that stays: clients find the others by it.
    const entry = cluster.nodes.find((node) => node !== master && node !== replica) ?? master
    const customers = await Promise.all(
      CLUSTER_CLIENTS.map(async ({ name, open }, number) => {
        const { client, close } = await open(entry.port)
        const store = new RedisStore({ client, deadlineMs: DEADLINE_MS, prefix: `${number}:` })
        const patient = new RedisStore({ client, deadlineMs: 60_000, prefix: `${number}:` })
        for (let request = 0; request < 3; request++) await takenAtLast(patient)
        return { name, close, store, patient, before: await counted(patient) }
      }),
    )
    const written = Number(/master_repl_offset:(\d+)/.exec(String(await tell(master, 'INFO', 'replication')))?.[1])
    await until(async () => Number(((await tell(replica, 'ROLE')) as unknown[])[4]) >= written || undefined)
    master.kill('SIGKILL')
    await once(master.process, 'exit')
    let promotedAt = Number.POSITIVE_INFINITY
    const promoted = until(async () => ((await tell(replica, 'ROLE')) as unknown[])[0] === 'master' || undefined).then(
      () => {
        promotedAt = performance.now()
      },
    )
    const backAfter = await Promise.all(
      customers.map(async ({ store, name }) => {
        // As requests do, one after another: each fails in time until then.
        for (;;) {
          if ('allowed' in (await taken(store))) break
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
        const at = performance.now()
        await promoted
        return [name, at - promotedAt] as const
      }),
    )
    console.info(backAfter.map(([name, ms]) => `${name}: ${ms.toFixed(0)} ms`).join(', '))
    for (const [name, ms] of backAfter) expect(ms, name).toBeLessThan(2_000)
    for (const { name, patient, before } of customers) expect(await counted(patient), name).toBe(before + 1)
    for (const { close, store, patient } of customers) {
      store.close()
      patient.close()
      close()
    }
    await cluster.stop()
  },
  180_000,
)
