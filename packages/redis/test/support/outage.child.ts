// An API under load while its Redis is away: 500 takes a second, whatever becomes of them, and how long each took.
import { once } from 'node:events'
import { RedisStore } from '../../src/index.js'
import { CLIENTS, CLUSTER_CLIENTS } from './clients.js'
import { chargeOf, mayBeCounted } from './takes.js'

/** What the parent is told. */
export interface OutageReport {
  readonly takes: number
  readonly failed: number
  /** Milliseconds, of the 99th percentile and of all. */
  readonly p99: number
  readonly longest: number
  /** The same of a bare timer of the deadline's length, started beside each take: what the machine itself adds. */
  readonly timerP99: number
  /** Bytes in use after a garbage collection: a third into the outage, and at its end. */
  readonly heapEarly: number
  readonly heapLate: number
}

const PER_SECOND = 500
const TICK_MS = 20
const DEADLINE_MS = 50

const [, , name, port, seconds] = process.argv
const kind = [...CLIENTS, ...CLUSTER_CLIENTS].find((each) => each.name === name)
if (kind === undefined || globalThis.gc === undefined) throw new Error(`no client ${name}, or no gc`)
const { client, close } = await kind.open(Number(port))
const store = new RedisStore({ client, deadlineMs: DEADLINE_MS })
const charges = chargeOf('acme')
let allowed = 0
let unheard = 0

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const take = async (): Promise<boolean> => {
  try {
    if (!(await store.take(charges, 0)).allowed) throw new Error('There is room for all.')
    allowed++
    return true
  } catch (error) {
    if (mayBeCounted(error)) unheard++
    return false
  }
}
const heapUsed = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

while (!(await take())) await wait(20)
process.send?.('ready')
await once(process, 'message')

const ticks = (Number(seconds) * 1_000) / TICK_MS
const latencies: number[] = []
const timers: number[] = []
const under: Promise<unknown>[] = []
let failed = 0
let heapEarly = 0
for (let tick = 0; tick < ticks; tick++) {
  const from = performance.now()
  for (let request = 0; request < (PER_SECOND * TICK_MS) / 1_000; request++) {
    const taking = take().then((wasAnswered) => {
      latencies.push(performance.now() - from)
      if (!wasAnswered) failed++
    })
    if (tick === ticks - 1) under.push(taking)
  }
  setTimeout(() => timers.push(performance.now() - from), DEADLINE_MS)
  // What is measured must not be what grows.
  if (tick === Math.floor(ticks / 3)) heapEarly = heapUsed()
  await wait(Math.max(0, TICK_MS - (performance.now() - from)))
}
await Promise.all(under)
await wait(2 * DEADLINE_MS)
const sizeOfNumbers = 8 * (latencies.length - latencies.length / 3)
const heapLate = heapUsed() - sizeOfNumbers
const p99 = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0
const report: OutageReport = {
  takes: latencies.length,
  failed,
  p99: p99(latencies),
  longest: latencies.reduce((most, each) => Math.max(most, each), 0),
  timerP99: p99(timers),
  heapEarly,
  heapLate,
}
process.send?.(report)
await once(process, 'message')
const healed = performance.now()
while (!(await take())) await wait(20)
process.send?.({ recoveredMs: performance.now() - healed, allowed, unheard })
store.close()
close()
process.disconnect()
