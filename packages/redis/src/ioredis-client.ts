import { RailError } from '@rail/core'
import { type Connection, hearErrors, runBySha } from './connection.js'
import { slotOf } from './key-name.js'

/** What the store uses of an ioredis client (5 and 6), of one server or of a cluster. */
export interface IoredisClient {
  readonly status: string
  evalsha(sha: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>
  connect(): Promise<unknown>
}

/** What only some of these clients have. */
interface Parts extends IoredisClient {
  readonly isCluster?: boolean
  /** Of a cluster, by slot: the master first. */
  readonly slots?: readonly (readonly string[] | undefined)[]
  readonly options?: {
    readonly enableOfflineQueue?: boolean
    readonly enableAutoPipelining?: boolean
    readonly autoResendUnfulfilledCommands?: boolean
    readonly retryDelayOnFailover?: number
    readonly clusterNodeRetryStrategy?: unknown
    readonly redisOptions?: { readonly autoResendUnfulfilledCommands?: boolean }
  }
  on?(event: 'error' | 'ready' | 'connect', listener: (error: unknown) => void): unknown
  /** Of a cluster. */
  nodes?(role: 'master'): readonly Parts[]
  info?(): Promise<unknown>
}

export function isIoredis(client: unknown): client is IoredisClient {
  const { evalsha, status } = (client ?? {}) as Partial<Parts>
  return typeof evalsha === 'function' && typeof status === 'string'
}

/** @throws RailError `RAIL_BAD_OPTION` for a client that may send a command twice, or long after its deadline */
export function ioredisConnection(given: IoredisClient): Connection {
  const client: Parts = given
  const isCluster = client.isCluster === true
  refuseReplays(client, isCluster)
  const errors = hearErrors(client)
  return {
    isCluster,
    writesLater: isCluster || client.options?.enableAutoPipelining === true,
    serverOf: (tag) => (isCluster ? (client.slots?.[slotOf(tag)]?.[0] ?? '') : ''),
    notReady() {
      // Such a client connects when it gets its first command, which would wait in its queue.
      if (client.status === 'wait') client.connect().catch(() => {})
      return client.status === 'ready' ? undefined : errors.explain('its client is not connected')
    },
    run: (script, sha, keys, args) =>
      runBySha(
        () => client.evalsha(sha, keys.length, ...keys, ...args),
        () => client.eval(script, keys.length, ...keys, ...args),
        errors,
      ),
    info() {
      const nodes = isCluster ? (client.nodes?.('master') ?? []) : [client]
      return Promise.all(nodes.map((node) => node.info?.()))
    },
  }
}

function refuseReplays({ options = {} }: Parts, isCluster: boolean): void {
  const { enableOfflineQueue, autoResendUnfulfilledCommands, retryDelayOnFailover, clusterNodeRetryStrategy } = options
  const wanted: string[] = []
  if (isCluster) {
    // A cluster's own queue may stay: it keeps commands to a node only until that is connected for the first time.
    if (retryDelayOnFailover !== 0) wanted.push('retryDelayOnFailover: 0')
    if (clusterNodeRetryStrategy && options.redisOptions?.autoResendUnfulfilledCommands !== false) {
      wanted.push('redisOptions: { autoResendUnfulfilledCommands: false }')
    }
  } else {
    if (enableOfflineQueue !== false) wanted.push('enableOfflineQueue: false')
    if (autoResendUnfulfilledCommands !== false) wanted.push('autoResendUnfulfilledCommands: false')
  }
  if (wanted.length === 0) return
  throw new RailError(
    'RAIL_BAD_OPTION',
    'client: expected an ioredis client that sends no command twice or late, got one that does so after a lost connection. ' +
      `Make one for the limiter with { ${wanted.join(', ')} }.`,
  )
}
