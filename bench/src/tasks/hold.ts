import type { ContestantName } from '../contestants.js'
import { FreshKeys } from '../keys.js'
import { runnerOf } from '../runner.js'

const BATCH = 50
/** Batches that are not counted: code is compiled then. */
const WARM = 400

/**
 * How long the event loop is held while every check is of a new customer: the longest batch of 50 checks. A batch's time
 * is the lesser of what the clock and the processor say, since neither can be less than the hold and the clock also
 * counts the machine's other work, the processor also the garbage collector's other threads.
 */
export async function holdTask(input: {
  readonly subject: ContestantName
  readonly most: number
  readonly customers: number
}) {
  const { subject, most, customers } = input
  const keys = new FreshKeys(1, 'new')
  const run = runnerOf(subject, most)
  let longestMs = 0
  for (let batch = 0; batch * BATCH < customers; batch++) {
    const slice = keys.next(BATCH)
    const cpu = process.cpuUsage()
    const from = performance.now()
    const done = run(slice)
    if (done instanceof Promise) await done
    const wallMs = performance.now() - from
    const { user, system } = process.cpuUsage(cpu)
    if (batch >= WARM) longestMs = Math.max(longestMs, Math.min(wallMs, (user + system) / 1000))
  }
  return { longestMs }
}
