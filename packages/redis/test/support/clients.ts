import { once } from 'node:events'
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
  /** Connects, or (where nothing listens yet) begins to. Tries again every 50 ms. */
  open(port: number): Promise<OpenClient>
}

const nodeRedis =
  (createClient: typeof createClient6 | typeof createClient5) =>
  async (port: number): Promise<OpenClient> => {
    const socket = { host: '127.0.0.1', port, reconnectStrategy: () => 50 }
    // Both versions' options are alike; their types are not each other's.
    const client = (createClient as typeof createClient6)({ socket, disableOfflineQueue: true })
    client.on('error', () => {})
    void client.connect()
    await once(client, 'ready')
    return { client, close: () => client.destroy() }
  }

const ioredis =
  (Redis: typeof Redis6 | typeof Redis5) =>
  async (port: number): Promise<OpenClient> => {
    const options = { enableOfflineQueue: false, autoResendUnfulfilledCommands: false, retryStrategy: () => 50 }
    const client = new (Redis as typeof Redis6)({ host: '127.0.0.1', port, ...options })
    client.on('error', () => {})
    await once(client, 'ready')
    return { client, close: () => client.disconnect() }
  }

/** Every client that the store knows, of one server. */
export const CLIENTS: readonly ClientKind[] = [
  { name: 'node-redis 5', open: nodeRedis(createClient5) },
  { name: 'node-redis 6', open: nodeRedis(createClient6) },
  { name: 'ioredis 5', open: ioredis(Redis5) },
  { name: 'ioredis 6', open: ioredis(Redis6) },
]

const nodeRedisCluster =
  (createCluster: typeof createCluster6 | typeof createCluster5) =>
  async (port: number): Promise<OpenClient> => {
    const defaults = { disableOfflineQueue: true, socket: { reconnectStrategy: () => 50 } }
    const rootNodes = [{ url: `redis://127.0.0.1:${port}` }]
    const client = (createCluster as typeof createCluster6)({ rootNodes, defaults })
    client.on('error', () => {})
    await client.connect()
    return { client, close: () => client.destroy() }
  }

const ioredisCluster =
  (Cluster: typeof Cluster6 | typeof Cluster5) =>
  async (port: number): Promise<OpenClient> => {
    const options = { retryDelayOnFailover: 0 }
    const client = new (Cluster as typeof Cluster6)([{ host: '127.0.0.1', port }], options)
    client.on('error', () => {})
    await once(client, 'ready')
    return { client, close: () => client.disconnect() }
  }

/** Every client that the store knows, of a cluster. */
export const CLUSTER_CLIENTS: readonly ClientKind[] = [
  { name: 'node-redis 5, cluster', open: nodeRedisCluster(createCluster5) },
  { name: 'node-redis 6, cluster', open: nodeRedisCluster(createCluster6) },
  { name: 'ioredis 5, cluster', open: ioredisCluster(Cluster5) },
  { name: 'ioredis 6, cluster', open: ioredisCluster(Cluster6) },
]
