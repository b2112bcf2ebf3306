import { inFreshProcess } from './fresh-process.js'
import type { Extent } from './part.js'
import { median } from './statistics.js'
import type { PairInput } from './tasks/pair.js'

/** What a pair of contestants came to, over rounds in several fresh processes. */
export interface Paired {
  readonly ratios: number[]
  readonly subjectNs: number
  readonly againstNs: number
}

/** Three processes of three rounds each: a process may by chance be compiled a little better or worse. */
export async function paired(extent: Extent, input: Omit<PairInput, 'rounds'>): Promise<Paired> {
  const processes = extent.short ? 1 : 3
  extent.say(`${input.subject} against ${input.against}, ${input.customers} customers, ${input.spread}`)
  const results = []
  for (let process = 0; process < processes; process++)
    results.push(await inFreshProcess('pair', { ...input, rounds: 3 }))
  return {
    ratios: results.flatMap(({ ratios }) => ratios),
    subjectNs: median(results.map(({ subjectNs }) => subjectNs)),
    againstNs: median(results.map(({ againstNs }) => againstNs)),
  }
}
