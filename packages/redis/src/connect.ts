import { unexpected } from '@rail/core/store'
import type { Connection, RunScript } from './connection.js'
import { ioredisConnection, isIoredis } from './ioredis-client.js'
import { isNodeRedis, nodeRedisConnection } from './node-redis-client.js'

/**
 * The connection of a client. Recognises a client by its methods, since a bundler may have shortened its constructor's name.
 *
 * @throws RailError `RAIL_BAD_OPTION` for anything else
 */
export function connectionOf(client: unknown): Connection {
  if (isNodeRedis(client)) return nodeRedisConnection(client)
  if (isIoredis(client)) return ioredisConnection(client)
  throw unexpected(
    'RAIL_BAD_OPTION',
    'client',
    'a client of node-redis or ioredis, of one server or of a cluster',
    client,
    'For any other client, use the option run.',
  )
}

/** The connection of a user's own function. */
export function connectionBy(run: RunScript, isCluster: boolean): Connection {
  return {
    isCluster,
    // It may: nobody knows.
    writesLater: true,
    run: (script, sha, keys, args) => run(script, sha, keys, args),
    serverOf: () => '',
    notReady: () => undefined,
    info: async () => [],
  }
}
