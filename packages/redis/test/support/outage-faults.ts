import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { slotOf } from '../../src/key-name.js'
import { startFaultProxy } from './fault-proxy.js'
import { isWhole, startRedisCluster, tell, until } from './redis-cluster.js'
import { type RedisServer, startRedisServer } from './redis-server.js'

/** Every way in which Redis is away or sick, as it is told: "Redis stands still". */
export const FAULTS = [
  'stands still',
  'is killed',
  'forgets its scripts',
  'forgets everything',
  'is out of memory',
  'holds something else',
  'answers late',
  'is behind a black hole',
  'resets connections',
  'refuses',
  'has lost a node of its cluster',
  'moves a slot of its cluster to and fro',
] as const

export type Fault = (typeof FAULTS)[number]

/** A Redis that can be broken, and mended. */
export interface BrokenRedis {
  /** What clients connect to. */
  readonly port: number
  /** The same Redis, with nothing in between. */
  readonly directPort: number
  /** Whether every take fails meanwhile. */
  readonly failsAll: boolean
  /** Whether what was counted is gone afterwards. */
  readonly forgets: boolean
  start(): Promise<void>
  end(): Promise<void>
  stop(): Promise<void>
}

const KEY = 'rail:{acme}'
const OFTEN_MS = 50

export async function breakRedis(fault: Fault): Promise<BrokenRedis> {
  if (fault === 'has lost a node of its cluster') return clusterWithoutNode()
  if (fault === 'moves a slot of its cluster to and fro') return clusterWithMovingSlot()
  const server = await startRedisServer()
  const proxy = await startFaultProxy(server.port)
  const set = (maxmemory: string): Promise<unknown> => tell(server, 'CONFIG', 'SET', 'maxmemory', maxmemory)
  let timer: NodeJS.Timeout | undefined
  const often = (what: () => unknown) => async (): Promise<void> => {
    timer = setInterval(what, OFTEN_MS)
  }
  const noMore = async (): Promise<void> => clearInterval(timer)
  // Their answers may come when the server is already gone.
  const telling = (...words: string[]) => often(() => void tell(server, ...words).catch(() => {}))
  const ways: Record<Exclude<Fault, `${string}of its cluster${string}`>, Pick<BrokenRedis, 'start' | 'end'>> = {
    'stands still': { start: async () => server.kill('SIGSTOP'), end: async () => server.kill('SIGCONT') },
    'is killed': {
      start: async () => {
        server.kill('SIGKILL')
        await once(server.process, 'exit')
      },
      end: () => server.restart(),
    },
    'forgets its scripts': { start: telling('SCRIPT', 'FLUSH'), end: noMore },
    'forgets everything': { start: telling('FLUSHALL'), end: noMore },
    'is out of memory': { start: async () => void (await set('1')), end: async () => void (await set('0')) },
    'holds something else': {
      start: telling('EVAL', "redis.call('DEL', KEYS[1]) redis.call('LPUSH', KEYS[1], 'mine')", '1', KEY),
      end: noMore,
    },
    'answers late': {
      start: async () => {
        proxy.latencyMs = 200
      },
      end: async () => {
        proxy.latencyMs = 0
      },
    },
    'is behind a black hole': {
      start: async () => {
        proxy.mode = 'blackhole'
      },
      end: async () => {
        proxy.mode = 'pass'
        await proxy.resetUntilBack()
      },
    },
    'resets connections': { start: often(() => proxy.reset()), end: noMore },
    refuses: { start: () => proxy.refuse(), end: () => proxy.listen() },
  }
  return {
    ...ways[fault],
    port: proxy.port,
    directPort: server.port,
    failsAll: !['forgets its scripts', 'forgets everything', 'holds something else', 'resets connections'].includes(
      fault,
    ),
    forgets: ['is killed', 'forgets everything', 'holds something else'].includes(fault),
    stop: async () => {
      clearInterval(timer)
      server.kill('SIGCONT')
      await proxy.close()
      await server.stop()
    },
  }
}

async function clusterWithoutNode(): Promise<BrokenRedis> {
  const cluster = await startRedisCluster()
  const lost = cluster.nodeOf(slotOf('acme'))
  return {
    // Not the one that is lost: clients find the others by it.
    port: cluster.port,
    directPort: cluster.port,
    failsAll: true,
    forgets: true,
    start: async () => {
      lost.kill('SIGKILL')
      await once(lost.process, 'exit')
    },
    // A master that was restarted takes no writes for its first two seconds, nor do the others trust it at once.
    end: async () => {
      await lost.restart()
      for (const node of cluster.nodes) await until(async () => (await isWhole(node)) || undefined)
    },
    stop: () => cluster.stop(),
  }
}

/** The customer's slot goes to another node and back, each time standing open between the two for a while. */
async function clusterWithMovingSlot(): Promise<BrokenRedis> {
  const cluster = await startRedisCluster()
  const slot = slotOf('acme')
  let [from, to] = [cluster.nodeOf(slot), cluster.nodes[0] as RedisServer]
  let moving = Promise.resolve()
  let isEnough = false
  let moves = 0
  const idOf = async (node: RedisServer): Promise<string> => String(await tell(node, 'CLUSTER', 'MYID'))
  const setSlot = (node: RedisServer, ...state: string[]) => tell(node, 'CLUSTER', 'SETSLOT', String(slot), ...state)
  const move = async (): Promise<void> => {
    await setSlot(to, 'IMPORTING', await idOf(from))
    await setSlot(from, 'MIGRATING', await idOf(to))
    await sleep(4 * OFTEN_MS)
    for (const key of (await tell(from, 'CLUSTER', 'GETKEYSINSLOT', String(slot), '99')) as string[]) {
      await tell(from, 'MIGRATE', '127.0.0.1', String(to.port), key, '0', '5000')
    }
    await sleep(4 * OFTEN_MS)
    for (const node of [to, from, ...cluster.nodes]) await setSlot(node, 'NODE', await idOf(to))
    ;[from, to] = [to, from]
    moves++
  }
  return {
    port: cluster.port,
    directPort: cluster.port,
    failsAll: false,
    forgets: false,
    start: async () => {
      moving = (async () => {
        while (!isEnough) await move()
      })()
    },
    end: async () => {
      isEnough = true
      await moving
      if (moves < 2) throw new Error(`The slot was moved ${moves} times.`)
    },
    stop: () => cluster.stop(),
  }
}
