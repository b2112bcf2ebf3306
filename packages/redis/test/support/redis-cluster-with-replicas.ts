import { execFileSync } from 'node:child_process'
import { CLUSTER, tell, until } from './redis-cluster.js'
import { type RedisServer, startRedisServer } from './redis-server.js'

/** Three masters with a replica each, as one cluster. */
export interface RedisClusterWithReplicas {
  readonly nodes: readonly RedisServer[]
  /** The master that has a slot, and its replica. */
  pairOf(slot: number): Promise<{ readonly master: RedisServer; readonly replica: RedisServer }>
  stop(): Promise<void>
}

/** First and last slot, then the master and its replicas: address, port, … */
type SlotRange = readonly [number, number, ...(readonly [string, number])[]]

export async function startRedisClusterWithReplicas(): Promise<RedisClusterWithReplicas> {
  const nodes = await Promise.all(Array.from({ length: 6 }, () => startRedisServer(CLUSTER)))
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`)
  execFileSync('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-replicas', '1', '--cluster-yes'])
  const rangesOf = async (node: RedisServer): Promise<readonly SlotRange[]> =>
    (await tell(node, 'CLUSTER', 'SLOTS')) as readonly SlotRange[]
  const isLinked = async (node: RedisServer): Promise<boolean> => {
    const [role, , , link] = (await tell(node, 'ROLE')) as unknown[]
    return role === 'master' || link === 'connected'
  }
  for (const node of nodes) {
    await until(async () => String(await tell(node, 'CLUSTER', 'INFO')).includes('cluster_state:ok') || undefined)
    await until(async () => (await rangesOf(node)).every((range) => range.length === 4) || undefined)
    await until(async () => (await isLinked(node)) || undefined)
  }
  return {
    nodes,
    pairOf: async (slot) => {
      const ranges = await rangesOf(nodes[0] as RedisServer)
      const range = ranges.find(([first, last]) => first <= slot && slot <= last)
      const [master, replica] = (range ?? []).slice(2).map((at) => {
        return nodes.find(({ port }) => port === (at as readonly [string, number])[1])
      })
      if (master === undefined || replica === undefined) throw new Error(`no pair for slot ${slot}`)
      return { master, replica }
    },
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()))
    },
  }
}
