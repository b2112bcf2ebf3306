import type { Limit } from '@rail/core'
import { rateOf, sameDefinition } from '../../src/exact/exact-bucket.js'
import { compare, type Fraction, minus, plus, times, whole, ZERO } from '../../src/exact/fraction.js'
import type { Vector } from '../../src/vectors/vectors.js'

/** Tokens that one bucket allowed and was given back at one moment. */
export interface Flow {
  /** Milliseconds that the clock has moved on. A step back counts as 0. */
  readonly passedMs: number
  readonly admitted: number
  readonly givenBack: number
}

/** A bucket as long as its limit stayed as it was. */
export interface BucketFlows {
  readonly limit: Limit
  readonly flows: Flow[]
}

/** The flows of each bucket of a vector, apart for each time its limit changed or it was forgotten. */
export function flowsOf({ limits, steps }: Vector): BucketFlows[] {
  const all: BucketFlows[] = []
  const current = new Map<string, BucketFlows>()
  let passedMs = 0
  let last = Number.POSITIVE_INFINITY
  for (const step of steps) {
    if (step.op === 'peek') continue
    if (step.op === 'reset') {
      const row = JSON.stringify([step.scope, step.key])
      for (const id of current.keys()) if (id.startsWith(row)) current.delete(id)
      continue
    }
    passedMs += Math.max(0, step.now - last)
    last = step.now
    const moved = new Map<BucketFlows, Flow>()
    const before = step.op === 'take' ? (step.before ?? []) : []
    const moves = [
      ...step.charges.map((charge) => ({ ...charge, earlier: false })),
      ...before.map((charge) => ({ ...charge, earlier: true })),
    ]
    for (const { scope, key, limits: ids, cost, earlier } of moves) {
      for (const id of ids) {
        const limit = limits[id] as Limit
        const bucket = JSON.stringify([scope, key]) + limit.name
        let bucketFlows = current.get(bucket)
        if (earlier && bucketFlows === undefined) continue
        if (bucketFlows === undefined || (!earlier && !sameDefinition(bucketFlows.limit, limit))) {
          bucketFlows = { limit, flows: [] }
          current.set(bucket, bucketFlows)
          all.push(bucketFlows)
        }
        const { admitted = 0, givenBack = 0 } = moved.get(bucketFlows) ?? {}
        if (step.op === 'settle') {
          moved.set(bucketFlows, { passedMs, admitted, givenBack: givenBack + Math.max(0, cost - step.actual) })
        } else if (earlier) {
          moved.set(bucketFlows, { passedMs, admitted, givenBack: limit.counts === 'requests' ? 1 : givenBack + cost })
        } else {
          const tokens = limit.counts === 'requests' ? 1 : admitted + cost
          moved.set(bucketFlows, { passedMs, admitted: step.answer.allowed ? tokens : 0, givenBack })
        }
      }
    }
    for (const [bucket, flow] of moved) bucket.flows.push(flow)
  }
  return all
}

/** The largest excess of any window: tokens allowed in it beyond burst + rate * window + tokens given back in it. */
export function excessOf(limit: Limit, flows: readonly Flow[]): Fraction {
  let worst = ZERO
  for (let from = 0; from < flows.length; from++) {
    let admitted = 0
    let givenBack = 0
    for (const flow of flows.slice(from)) {
      admitted += flow.admitted
      givenBack += flow.givenBack
      if (flow.admitted === 0) continue
      const windowMs = flow.passedMs - (flows[from] as Flow).passedMs
      // A full bucket of a share allows a cost above its burst and is then in debt: the last cost may be larger.
      const above = Math.max(0, flow.admitted - limit.burst)
      const most = plus(times(rateOf(limit), whole(windowMs)), whole(limit.burst + above + givenBack))
      const excess = minus(whole(admitted), most)
      if (compare(excess, worst) > 0) worst = excess
    }
  }
  return worst
}
