import { type Connection, hearErrors, runBySha } from './connection.js'
import { slotOf } from './slot.js'

/** What is used of a node-redis client (5 and 6), single, sentinel or cluster. */
export interface NodeRedisClient {
  readonly isOpen: boolean
  evalSha(sha: string, options: ScriptOptions): Promise<unknown>
  eval(script: string, options: ScriptOptions): Promise<unknown>
}

interface ScriptOptions {
  keys?: string[]
  arguments?: string[]
}

/** What only some of them have. */
interface Parts extends NodeRedisClient {
  readonly isReady?: boolean
  readonly options?: { readonly disableOfflineQueue?: boolean }
  /** Of a cluster. */
  readonly masters?: readonly unknown[]
  nodeClient?(node: unknown): Parts | Promise<Parts>
  /** Of a cluster, by slot. */
  readonly slots?: readonly ({ readonly master?: { readonly address?: string } } | undefined)[]
  withCommandOptions?(options: { timeout: number }): Parts
  on?(event: 'error', listener: (error: unknown) => void): unknown
  info?(section: string): Promise<unknown>
}

export function isNodeRedis(client: unknown): client is NodeRedisClient {
  const { evalSha, isOpen, isReady, masters } = (client ?? {}) as Partial<Parts>
  // A pool is neither: it would keep a command until one of its clients is free, long after the deadline.
  return (
    typeof evalSha === 'function' && typeof isOpen === 'boolean' && (isReady !== undefined || masters !== undefined)
  )
}

export function nodeRedisConnection(given: NodeRedisClient, deadlineMs: number): Connection {
  const client: Parts = given
  const isCluster = client.masters !== undefined
  hearErrors(client)
  // A command that is not yet sent would be sent after a reconnect, unless it times out (or the client keeps none). The
  // timer costs several times the command, and cannot be had for one that is sent: so it is set only where it is needed.
  const timeout = client.options?.disableOfflineQueue === true ? 0 : deadlineMs
  const sender = client.withCommandOptions?.({ timeout }) ?? client
  return {
    isCluster,
    serverOf: (tag) => (isCluster ? (client.slots?.[slotOf(tag)]?.master?.address ?? '') : ''),
    notReady() {
      if (!client.isOpen) return 'its client is not open: await client.connect() first'
      return client.isReady === false ? 'its client is not connected' : undefined
    },
    run(script, sha, keys, args) {
      const options = { keys: keys as string[], arguments: args as string[] }
      return runBySha(
        () => sender.evalSha(sha, options),
        () => sender.eval(script, options),
      )
    },
    async memoryInfo() {
      const nodes = client.masters?.map((master) => client.nodeClient?.(master)) ?? [client]
      return Promise.all(nodes.map(async (node) => (await node)?.info?.('memory')))
    },
  }
}
