import { RailError } from '@rail/core'
import type { Connection, RunScript } from './connection.js'
import { ioredisConnection, isIoredis } from './ioredis-client.js'
import { isNodeRedis, nodeRedisConnection } from './node-redis-client.js'

/** A client of ours to know it by what it can, since its constructor's name may have been shortened away. */
export function connectionOf(client: unknown, deadlineMs: number): Connection {
  if (isNodeRedis(client)) return nodeRedisConnection(client, deadlineMs)
  if (isIoredis(client)) return ioredisConnection(client)
  throw new RailError(
    'RAIL_BAD_OPTION',
    'The option client is a client of node-redis or ioredis, single or cluster. For any other, give the option run instead.',
  )
}

/** A connection by the user's own function. */
export function connectionBy(run: RunScript, isCluster: boolean): Connection {
  return { isCluster, run, serverOf: () => '', notReady: () => undefined, memoryInfo: async () => [] }
}
