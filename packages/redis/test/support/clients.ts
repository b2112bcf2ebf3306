import { Cluster as Cluster6, Redis as Redis6 } from 'ioredis'
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis5'
import { createClient as createClient6, createCluster as createCluster6 } from 'redis'
import { createClient as createClient5, createCluster as createCluster5 } from 'redis5'
import type { RedisStoreOptions } from '../../src/index.js'

/** A client, made as the documentation says. */
export interface OpenClient {
  readonly client: NonNullable<RedisStoreOptions['client']>
  close(): void
}

export interface ClientKind {
  readonly name: string
  /** Begins to connect, whether anything listens or not, and tries until it has. */
  begin(port: number): OpenClient & { readonly connected: Promise<unknown> }
  /** Connects. */
  open(port: number): Promise<OpenClient>
}

function kind(name: string, begin: ClientKind['begin']): ClientKind {
  const open = async (port: number): Promise<OpenClient> => {
    const begun = begin(port)
    await begun.connected
    return begun
  }
  return { name, begin, open }
}

const nodeRedis =
  (createClient: typeof createClient6 | typeof createClient5): ClientKind['begin'] =>
  (port) => {
    const socket = { host: '127.0.0.1', port, reconnectStrategy: () => 50 }
    // Both versions' options are alike; their types are not each other's.
    const client = (createClient as typeof createClient6)({ socket, disableOfflineQueue: true })
    client.on('error', () => {})
    const connected = client.connect().catch(() => {})
    return { client, connected, close: () => client.destroy() }
  }

const ioredis =
  (Redis: typeof Redis6 | typeof Redis5): ClientKind['begin'] =>
  (port) => {
    const options = { enableOfflineQueue: false, autoResendUnfulfilledCommands: false, retryStrategy: () => 50 }
    const client = new (Redis as typeof Redis6)({ host: '127.0.0.1', port, ...options })
    client.on('error', () => {})
    const connected = new Promise((resolve) => client.once('ready', resolve))
    return { client, connected, close: () => client.disconnect() }
  }

/** Every client that the store knows, of one server. */
export const CLIENTS: readonly ClientKind[] = [
  kind('node-redis 5', nodeRedis(createClient5)),
  kind('node-redis 6', nodeRedis(createClient6)),
  kind('ioredis 5', ioredis(Redis5)),
  kind('ioredis 6', ioredis(Redis6)),
]

const nodeRedisCluster =
  (createCluster: typeof createCluster6 | typeof createCluster5): ClientKind['begin'] =>
  (port) => {
    const defaults = { disableOfflineQueue: true, socket: { reconnectStrategy: () => 50 } }
    const rootNodes = [{ url: `redis://127.0.0.1:${port}` }]
    const client = (createCluster as typeof createCluster6)({ rootNodes, defaults })
    client.on('error', () => {})
    const connect = async (): Promise<unknown> => {
      try {
        return await client.connect()
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50))
        return connect()
      }
    }
    return { client, connected: connect(), close: () => client.destroy() }
  }

const ioredisCluster =
  (Cluster: typeof Cluster6 | typeof Cluster5): ClientKind['begin'] =>
  (port) => {
    const options = { retryDelayOnFailover: 0 }
    const client = new (Cluster as typeof Cluster6)([{ host: '127.0.0.1', port }], options)
    client.on('error', () => {})
    const connected = new Promise((resolve) => client.once('ready', resolve))
    return { client, connected, close: () => client.disconnect() }
  }

/** Every client that the store knows, of a cluster. */
export const CLUSTER_CLIENTS: readonly ClientKind[] = [
  kind('node-redis 5, cluster', nodeRedisCluster(createCluster5)),
  kind('node-redis 6, cluster', nodeRedisCluster(createCluster6)),
  kind('ioredis 5, cluster', ioredisCluster(Cluster5)),
  kind('ioredis 6, cluster', ioredisCluster(Cluster6)),
]
