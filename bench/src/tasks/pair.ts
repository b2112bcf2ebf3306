import type { ContestantName } from '../contestants.js'
import { FreshKeys, type Spread } from '../keys.js'
import { introduce, runnerOf, timed } from '../runner.js'
import { median } from '../statistics.js'

/** Two contestants over the same customers, in turns (A B A B …). */
export interface PairInput {
  readonly subject: ContestantName
  readonly against: ContestantName
  readonly customers: number
  readonly spread: Spread
  readonly rounds: number
  /** Pairs of slices in a round. @default 100 */
  readonly slices?: number
  /** Checks in a slice. @default 1_000 */
  readonly slice?: number
}

export interface PairResult {
  /** Of each round the median of its paired ratios: time of the subject over time of the other. */
  readonly ratios: number[]
  /** Nanoseconds a check, medians over all rounds. */
  readonly subjectNs: number
  readonly againstNs: number
}

export async function pairTask(input: PairInput): Promise<PairResult> {
  const { subject, against, customers, spread, rounds, slices = 100, slice = 1_000 } = input
  const keys = new FreshKeys(customers, spread)
  const [a, b] = [runnerOf(subject, customers), runnerOf(against, customers)]
  if (spread !== 'new') {
    await introduce(b, keys)
    await introduce(a, keys)
  }
  const ratios: number[] = []
  const subjectNs: number[] = []
  const againstNs: number[] = []
  // The first rounds warm up: code is compiled, tables and caches fill.
  const warm = spread === 'new' ? Math.ceil((2 * customers) / (slices * slice)) + 1 : 2
  for (let round = -warm; round < rounds; round++) {
    const paired: number[] = []
    for (let pair = 0; pair < slices; pair++) {
      const other = await timed(b, keys.next(slice))
      const own = await timed(a, keys.next(slice))
      paired.push(own / other)
      if (round < 0) continue
      subjectNs.push(own)
      againstNs.push(other)
    }
    if (round >= 0) ratios.push(median(paired))
  }
  return { ratios, subjectNs: median(subjectNs), againstNs: median(againstNs) }
}
