import { once } from 'node:events'
import { perSecond } from '@rail/core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { RedisStore } from '../../src/index.js'
import { slotOf } from '../../src/key-name.js'
import { CLUSTER_CLIENTS, type OpenClient } from '../support/clients.js'
import { type RedisCluster, startRedisCluster, tell } from '../support/redis-cluster.js'
import type { RedisServer } from '../support/redis-server.js'
import { chargeOf, counted, isSettledWithin, taken, takenAtLast } from '../support/takes.js'

const DEADLINE_MS = 50

describe.skipIf(inject('redisPort') === 0)('in a cluster', () => {
  let cluster: RedisCluster
  beforeAll(async () => {
    cluster = await startRedisCluster()
  }, 60_000)
  afterAll(() => cluster.stop())

  describe.each(CLUSTER_CLIENTS)('with $name', ({ name, open }) => {
    let opened: OpenClient
    let store: RedisStore
    let patient: RedisStore
    beforeEach(async () => {
      opened = await open(cluster.port)
      store = new RedisStore({ client: opened.client, deadlineMs: DEADLINE_MS })
      patient = new RedisStore({ client: opened.client, deadlineMs: 60_000 })
      // A node's connection may still be on its way.
      for (const node of cluster.nodes) await takenAtLast(patient, keyOn(node, 'first'))
    })
    afterEach(() => {
      store.close()
      patient.close()
      opened.close()
    })

    /** A key of this client's own on a node. */
    function keyOn(node: RedisServer, what = 'customer'): string {
      for (let number = 0; ; number++) {
        const key = `${name.replaceAll(/\W/g, '')}-${what}-${number}`
        if (cluster.nodeOf(slotOf(key)) === node) return key
      }
    }

    test('customers on all nodes are counted, those of one turn too', async () => {
      const keys = Array.from({ length: 30 }, (_, number) => `${name.replaceAll(/\W/g, '')}/${number}`)
      for (let round = 1; round <= 3; round++) {
        const decisions = await Promise.all(keys.map((key) => taken(patient, key)))
        expect(decisions.every((decision) => 'allowed' in decision && decision.allowed)).toBe(true)
        expect(await Promise.all(keys.map((key) => counted(patient, key)))).toEqual(keys.map(() => round))
      }
    })

    test('while a slot moves to another node nothing is lost, and nothing counted twice', async () => {
      const key = keyOn(cluster.nodes[0] as RedisServer)
      const [from, to] = cluster.nodes as readonly [RedisServer, RedisServer, RedisServer]
      const slot = String(slotOf(key))
      const fresh = { ...chargeOf(key)[0], scope: 'fresh' }
      await taken(patient, key)
      await tell(to, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', String(await tell(from, 'CLUSTER', 'MYID')))
      await tell(from, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', String(await tell(to, 'CLUSTER', 'MYID')))
      expect(await taken(patient, key)).toMatchObject({ allowed: true })
      expect(await patient.take([fresh], 0)).toMatchObject({ allowed: true })
      expect(await patient.take([fresh], 0)).toMatchObject({ allowed: true })
      for (const held of (await tell(from, 'CLUSTER', 'GETKEYSINSLOT', slot, '99')) as string[]) {
        await tell(from, 'MIGRATE', '127.0.0.1', String(to.port), held, '0', '5000')
      }
      expect(await taken(patient, key)).toMatchObject({ allowed: true })
      for (const node of cluster.nodes) {
        await tell(node, 'CLUSTER', 'SETSLOT', slot, 'NODE', String(await tell(to, 'CLUSTER', 'MYID')))
      }
      expect(await taken(patient, key)).toMatchObject({ allowed: true })
      expect(await counted(patient, key)).toBe(4)
      const { limits } = await patient.peek([{ ...fresh, cost: 0 }], 0)
      expect(limits[0]?.remaining).toBe(999_998)
    })

    test('while a node is lost its customers fail in time, the others are counted, and it is used again', async () => {
      const lost = cluster.nodes[2] as RedisServer
      const [other, mine] = [keyOn(cluster.nodes[1] as RedisServer), keyOn(lost)]
      await taken(patient, mine)
      const before = await counted(patient, other)
      lost.kill('SIGKILL')
      await once(lost.process, 'exit')
      for (let request = 1; request <= 12; request++) {
        const take = taken(store, mine)
        expect(await isSettledWithin([DEADLINE_MS, DEADLINE_MS, 20], take)).toBe(true)
        expect(await take).toMatchObject({ code: 'RAIL_STORE_FAILED' })
        expect(await taken(patient, other)).toMatchObject({ allowed: true })
      }
      expect(await counted(patient, other)).toBe(before + 12)
      await lost.restart()
      await takenAtLast(store, mine)
    })

    test('one request charges keys of one tag, all or nothing', async () => {
      const tagged = new RedisStore({
        client: opened.client,
        deadlineMs: 60_000,
        tag: (key) => key.split('/')[0] ?? key,
      })
      const two = [perSecond(2, { name: 'two' })]
      const charges = ['', '/user'].map((part) => ({ key: `${name}${part}`, limits: two, cost: 1 }))
      expect(await tagged.take(charges, 0)).toMatchObject({ allowed: true })
      const [client, user] = charges.map((charge) => ({ ...charge, limits: [perSecond(9, { name: 'ledger' })] }))
      if (client === undefined || user === undefined) throw new Error('two charges')
      await tagged.take([{ ...client, cost: 9 }], 0)
      expect(await tagged.take([user, client], 0)).toMatchObject({ allowed: false, refusedBy: ['ledger'] })
      expect((await tagged.peek([{ ...user, cost: 0 }], 0)).limits[0]?.remaining).toBe(9)
      tagged.close()
    })

    test('one request that charges keys of different tags is an error, not a failure of the store', async () => {
      const charges = ['a', 'b'].flatMap((key) => chargeOf(key))
      await expect((async () => patient.take(charges, 0))()).rejects.toMatchObject({
        code: 'RAIL_BAD_CHARGES',
        message: expect.stringMatching(/^charges: .*"a" and "b"/),
      })
      expect(await counted(patient, 'a')).toBe(0)
    })
  })
})
