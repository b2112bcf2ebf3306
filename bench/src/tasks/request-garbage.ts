import { perMinute, perSecond } from '@rail/core'
import { median } from '../statistics.js'
import { type Bagged, baggedLimiter } from './bagged.js'

const REQUESTS = 20_000

/**
 * Bytes that a counted request leaves to the garbage collector: a limiter with two limits, whose headers are read as Node
 * reads them. To be run with a young generation that holds all of them. What the loop itself makes is subtracted.
 */
export function requestGarbageTask(input: { readonly rounds: number }) {
  const limiter = baggedLimiter([perSecond(100_000), perMinute(6_000_000)])
  const keys = Array.from({ length: 1_000 }, (_, index) => `customer_${index}`)
  let read = 0
  const counted = (request: Bagged): void => {
    const outcome = limiter.take(request)
    if ('then' in outcome) throw new Error('expected a decision at once')
    for (let index = 0; index < outcome.headers.length; index++)
      read += outcome.headers[index]?.value.charCodeAt(0) ?? 0
  }
  const kept: unknown[] = [undefined]
  const bare = (request: Bagged): void => {
    kept[0] = request
  }
  const bytesOf = (each: (request: Bagged) => void): number => {
    globalThis.gc?.()
    const before = process.memoryUsage().heapUsed
    for (let index = 0; index < REQUESTS; index++) each({ key: keys[index % keys.length] as string, state: undefined })
    return (process.memoryUsage().heapUsed - before) / REQUESTS
  }
  for (let warm = 0; warm < 10; warm++) for (const each of [bare, counted]) bytesOf(each)
  const bytes: number[] = []
  for (let round = 0; round < input.rounds; round++) bytes.push(bytesOf(counted) - bytesOf(bare))
  if (read === 0) throw new Error('expected headers')
  return { bytes: median(bytes), lines: [] as string[] }
}
