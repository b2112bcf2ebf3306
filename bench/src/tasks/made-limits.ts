import { type LimiterOptions, perMinute, perSecond } from '@rail/core'
import { median } from '../statistics.js'
import { type Bagged, baggedLimiter } from './bagged.js'

const SLICE = 1_000

/** A request whose limits a function makes anew, over one whose limits are an array. */
export function madeLimitsTask(input: { readonly rounds: number }) {
  const make = () => [perSecond(10_000_000), perMinute(100_000_000)]
  const [anew, fixed] = [runOf(make), runOf(make())]
  const ratios: number[] = []
  for (let round = -2; round < input.rounds; round++) {
    const paired: number[] = []
    for (let slice = 0; slice < 100; slice++) paired.push(anew() / fixed())
    if (round >= 0) ratios.push(median(paired))
  }
  return { ratios }
}

/** @returns a function that counts so many requests of 1,000 customers, and returns the milliseconds that it took */
function runOf(limits: LimiterOptions<Bagged>['limits']): () => number {
  const limiter = baggedLimiter(limits)
  const keys = Array.from({ length: SLICE }, (_, index) => `customer_${index}`)
  return () => {
    const from = performance.now()
    for (const key of keys) limiter.take({ key, state: undefined })
    return performance.now() - from
  }
}
