import { type Connection, hearErrors, runBySha } from './connection.js'
import { slotOf } from './key-name.js'

/** What the store uses of a node-redis client (5 and 6): of one server, of a sentinel or of a cluster. */
export interface NodeRedisClient {
  readonly isOpen: boolean
  evalSha(sha: string, options: ScriptOptions): Promise<unknown>
  eval(script: string, options: ScriptOptions): Promise<unknown>
}

interface ScriptOptions {
  keys?: string[]
  arguments?: string[]
}

/** What only some of these clients have. */
interface Parts extends NodeRedisClient {
  readonly isReady?: boolean
  readonly options?: { readonly disableOfflineQueue?: boolean }
  /** Of a cluster. */
  readonly masters?: readonly unknown[]
  nodeClient?(node: unknown): Parts | Promise<Parts>
  /** Of a cluster, by slot. */
  readonly slots?: readonly ({ readonly master?: { readonly address?: string } } | undefined)[]
  withCommandOptions?(options: { timeout: number; abortSignal?: AbortSignal }): Parts
  /** Of a cluster. A command without a key goes to each node in turn. */
  sendCommand?(firstKey: undefined, isReadonly: boolean, words: string[]): Promise<unknown>
  on?(event: 'error' | 'ready' | 'connect' | 'disconnect', listener: (error: unknown) => void): unknown
  destroy?(): void
  info?(): Promise<unknown>
}

export function isNodeRedis(client: unknown): client is NodeRedisClient {
  const { evalSha, isOpen, isReady, masters } = (client ?? {}) as Partial<Parts>
  // A pool has neither. It would keep a command until one of its clients is free, long after the deadline.
  return (
    typeof evalSha === 'function' && typeof isOpen === 'boolean' && (isReady !== undefined || masters !== undefined)
  )
}

export function nodeRedisConnection(given: NodeRedisClient): Connection {
  const client: Parts = given
  const isCluster = client.masters !== undefined
  const errors = hearErrors(client, isCluster ? 'connect' : 'ready')
  // A timeout of the client's own would count the time of this process, and costs several times the command.
  const sender = client.withCommandOptions?.({ timeout: 0 }) ?? client
  // The client sends a waiting command after a reconnect, unless that was aborted or the client keeps no queue.
  const hasQueue = client.options?.disableOfflineQueue !== true
  const look = isCluster ? lookerOf(client) : undefined
  return {
    isCluster,
    writesLater: true,
    serverOf: (tag) => (isCluster ? (client.slots?.[slotOf(tag)]?.master?.address ?? '') : ''),
    notReady() {
      if (!client.isOpen) return errors.explain('its client is not open: call client.connect() first')
      // A cluster's client knows no node before it has connected to one.
      const isReady = isCluster ? client.masters?.length !== 0 : client.isReady !== false
      return isReady ? undefined : errors.explain('its client is not connected')
    },
    run(script, sha, keys, args, batch) {
      const options = { keys: keys as string[], arguments: args as string[] }
      const abortable = hasQueue && client.withCommandOptions?.({ timeout: 0, abortSignal: batch.failed })
      const by = abortable || sender
      return runBySha(
        () => by.evalSha(sha, options),
        () => by.eval(script, options),
        errors,
      )
    },
    lookAgain: (key) => look?.(key),
    async info() {
      const nodes = client.masters?.map((master) => client.nodeClient?.(master)) ?? [client]
      return Promise.all(nodes.map(async (node) => (await node)?.info?.()))
    },
  }
}

/** One for each client, however many stores use it. */
const lookers = new WeakMap<Parts, (key: string) => void>()

/**
 * Makes a cluster's client find the master of a key's slot, since a replica may have taken over. By itself version 5 does so
 * only where a node replies MOVED, and version 6 after 5 seconds. Every node but the lost one can reply MOVED.
 */
function lookerOf(client: Parts): (key: string) => void {
  const known = lookers.get(client)
  if (known !== undefined) return known
  let looking = 0
  let lookedAt = Number.NEGATIVE_INFINITY
  let tries = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  // A client that is closed meanwhile goes on and makes new connections, which would keep the process alive. This timer keeps
  // nothing alive itself, so it fires only in that case.
  function closeAgain(): void {
    if (looking === 0 || timer !== undefined || tries === MOST_TRIES) return
    tries++
    timer = setTimeout(() => {
      timer = undefined
      if (client.isOpen) return
      try {
        client.destroy?.()
      } catch {
        // Some of those connections may be closed already.
      }
      closeAgain()
    }, CLOSE_AGAIN_MS)
    timer.unref()
  }
  client.on?.('disconnect', closeAgain)
  const look = (key: string): void => {
    const now = performance.now()
    if (now - lookedAt < LOOK_EVERY_MS || client.sendCommand === undefined) return
    lookedAt = now
    looking++
    tries = 0
    const looked = (): void => {
      looking--
    }
    client.sendCommand(undefined, true, ['GET', key]).then(looked, looked)
  }
  lookers.set(client, look)
  return look
}

const LOOK_EVERY_MS = 250
const CLOSE_AGAIN_MS = 100
const MOST_TRIES = 20
