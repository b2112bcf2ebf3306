import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { GCProfiler } from 'node:v8'
import { quantile } from '../statistics.js'
import { Connection, requestsOf } from './duplex.js'
import type { Front } from './fronts.js'
import { type Framework, servers } from './servers.js'

/** What a server can be told to do. */
export type Command =
  /** So many requests over a connection in memory, one after the other: the median of their times. */
  | { readonly does: 'slice'; readonly requests: number }
  /** Counts what is used from now on. */
  | { readonly does: 'watch' }
  /** What was used since `watch`. */
  | { readonly does: 'used' }

export interface Answers {
  readonly slice: { readonly p50Us: number }
  readonly watch: Record<never, never>
  readonly used: { readonly cpuUs: number; readonly garbageBytes: number; readonly pausedMs: number }
}

// The entry of a process that has one server and nothing else.
const [framework, front] = process.argv.slice(2) as [Framework, Front]
const server = await servers[framework](front)
// A connection waits for its turn longer than servers do.
server.keepAliveTimeout = 0
const connection = new Connection(server)
const requests = requestsOf(1_000)
let next = 0

async function slice(count: number): Promise<Answers['slice']> {
  const times: number[] = []
  for (let request = 0; request < count; request++) {
    const from = performance.now()
    await connection.ask(requests[next++ % requests.length] as Buffer)
    times.push((performance.now() - from) * 1_000)
  }
  return { p50Us: quantile(times, 0.5) }
}

let profiler = new GCProfiler()
let cpu = process.cpuUsage()
let heap = 0

function watch(): Answers['watch'] {
  profiler = new GCProfiler()
  profiler.start()
  heap = process.memoryUsage().heapUsed
  cpu = process.cpuUsage()
  return {}
}

function used(): Answers['used'] {
  const { user, system } = process.cpuUsage(cpu)
  const grown = process.memoryUsage().heapUsed - heap
  const collections = profiler.stop()?.statistics ?? []
  const freed = collections.map(
    ({ beforeGC, afterGC }) => beforeGC.heapStatistics.usedHeapSize - afterGC.heapStatistics.usedHeapSize,
  )
  return {
    cpuUs: user + system,
    garbageBytes: freed.reduce((sum, bytes) => sum + bytes, grown),
    pausedMs: collections.reduce((sum, { cost }) => sum + cost / 1_000, 0),
  }
}

process.on('message', async (command: Command) => {
  const answer = command.does === 'slice' ? await slice(command.requests) : command.does === 'watch' ? watch() : used()
  process.send?.(answer)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.send?.((server.address() as AddressInfo).port)
