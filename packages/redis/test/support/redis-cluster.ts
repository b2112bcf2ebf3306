import { createClient } from 'redis'
import { type RedisServer, startRedisServer } from './redis-server.js'

/** Three masters without replicas, as one cluster. */
export interface RedisCluster {
  readonly nodes: readonly RedisServer[]
  /** The port of any node. */
  readonly port: number
  /** The node that has a slot. */
  nodeOf(slot: number): RedisServer
  /** Says something to one node, as redis-cli would. */
  tell(node: RedisServer, ...command: string[]): Promise<unknown>
  stop(): Promise<void>
}

const SLOTS = 16_384

/** What each node is started with. */
export const CLUSTER = [
  '--cluster-enabled',
  'yes',
  '--cluster-require-full-coverage',
  'no',
  '--cluster-config-file',
  'nodes.conf',
  '--cluster-node-timeout',
  '2000',
]

export async function startRedisCluster(): Promise<RedisCluster> {
  const nodes = await Promise.all([0, 1, 2].map(() => startRedisServer(CLUSTER)))
  const from = (index: number): number => Math.floor((index * SLOTS) / nodes.length)
  for (const [index, node] of nodes.entries()) {
    await tell(node, 'CLUSTER', 'ADDSLOTSRANGE', String(from(index)), String(from(index + 1) - 1))
    await tell(node, 'CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1))
  }
  for (const node of nodes) {
    for (const other of nodes) await tell(node, 'CLUSTER', 'MEET', '127.0.0.1', String(other.port))
  }
  for (const node of nodes) await until(async () => (await isWhole(node)) || undefined)
  return {
    nodes,
    port: (nodes[0] as RedisServer).port,
    nodeOf: (slot) => nodes.findLast((_, index) => from(index) <= slot) as RedisServer,
    tell,
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()))
    },
  }
}

/** Whether a node sees all of the cluster, and takes writes. */
export async function isWhole(node: RedisServer): Promise<boolean> {
  const info = String(await tell(node, 'CLUSTER', 'INFO'))
  const slots = (await tell(node, 'CLUSTER', 'SLOTS')) as unknown[]
  return info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3') && slots.length === 3
}

/** Says something to a server, as redis-cli would; fails where it is gone. */
export async function tell({ port }: { readonly port: number }, ...command: string[]): Promise<unknown> {
  const line = await (lines.get(port) ?? lineTo(port))
  return line.sendCommand(command)
}

interface Line {
  sendCommand(command: string[]): Promise<unknown>
}

/** Kept while their servers live: clients that are made for each word keep this process so busy that its proxies are late. */
const lines = new Map<number, Promise<Line>>()

function lineTo(port: number): Promise<Line> {
  const client = createClient({
    socket: { host: '127.0.0.1', port, reconnectStrategy: false },
    disableOfflineQueue: true,
  })
  const line = client.connect().then(() => client)
  const drop = (): void => void lines.delete(port)
  client.on('error', drop)
  line.catch(drop)
  lines.set(port, line)
  return line
}

/** Asks again, every 20 ms, until something comes of it. What fails counts as nothing. */
export async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await ask().catch(() => undefined)
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
