import { type Decision, headersFor, MemoryStore, perMinute, perSecond } from '@rail/core'
import { median } from '../statistics.js'

/** The text of both fields, against the same text by map and join. */
export function headersTask(input: { readonly rounds: number }) {
  const store = new MemoryStore()
  const limits = Object.freeze([perSecond(1_000), perMinute(30_000)])
  const decisions = Array.from({ length: 1_000 }, (_, now) =>
    store.take([{ key: 'customer', limits, cost: 1 }], now * 2),
  )
  const loop = (text: string) =>
    new Function(
      'headersFor',
      `return function build(decisions) {
        let sink = 0
        for (let i = 0; i < decisions.length; i++) { const decision = decisions[i]; const fields = ${text}; sink += fields[0].value.length + fields[1].value.length }
        return sink
      }`,
    )(headersFor) as (decisions: readonly Decision[]) => number
  const [rail, naive] = [loop('headersFor(decision)'), loop(NAIVE)]
  if (rail(decisions) !== naive(decisions)) throw new Error('both are to make the same text')
  const ratios: number[] = []
  for (let round = -2; round < input.rounds; round++) {
    const paired: number[] = []
    for (let slice = 0; slice < 100; slice++) {
      const start = performance.now()
      naive(decisions)
      const middle = performance.now()
      rail(decisions)
      paired.push((performance.now() - middle) / (middle - start))
    }
    if (round >= 0) ratios.push(median(paired))
  }
  return { ratios }
}

const NAIVE = `[
  { name: 'RateLimit-Policy', merge: 'list', value: decision.limits.map(({ limit }) =>
    '"' + limit.name + '";q=' + limit.burst + ';w=' + Math.ceil(limit.size / limit.flow / 1000)).join(', ') },
  { name: 'RateLimit', merge: 'list', value: decision.limits.map(({ limit, remaining, retryAfterMs, fullAfterMs }) =>
    '"' + limit.name + '";r=' + remaining + ';t=' + Math.ceil((remaining === 0 ? retryAfterMs : fullAfterMs) / 1000)).join(', ') },
]`
