import { createClient } from 'redis'
import type { RedisStoreOptions } from '../../src/index.js'
import { startRedisServer } from './redis-server.js'

/** A redis-server that nobody else asks, so that what it runs can be counted. */
export interface CountingServer {
  readonly client: RedisStoreOptions['client']
  /** How many scripts Redis runs while this is done. */
  scriptsOf(work: () => unknown): Promise<number>
  stop(): Promise<void>
}

export async function startCountingServer(): Promise<CountingServer> {
  const server = await startRedisServer()
  const client = createClient({ socket: { host: '127.0.0.1', port: server.port }, disableOfflineQueue: true })
  await client.connect()
  const count = async () => Number(/cmdstat_evalsha:calls=(\d+)/.exec(await client.info('commandstats'))?.[1] ?? 0)
  return {
    client,
    async scriptsOf(work) {
      const before = await count()
      await work()
      return (await count()) - before
    },
    async stop() {
      client.destroy()
      await server.stop()
    },
  }
}
