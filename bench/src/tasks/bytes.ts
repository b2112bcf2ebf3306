import type { ContestantName } from '../contestants.js'
import { FreshKeys } from '../keys.js'
import { introduce, runnerOf } from '../runner.js'

/** Memory of one customer: what the heap and memory outside of it grow by, once nothing else is left. */
export async function bytesTask(input: { readonly subject: ContestantName; readonly customers: number }) {
  const { subject, customers } = input
  const keys = new FreshKeys(customers, 'uniform')
  // What is made once, code and the first tables of a small store among it, is no customer's.
  await introduce(runnerOf(subject, 1_000), new FreshKeys(1_000, 'uniform'))
  const before = await used()
  const run = runnerOf(subject, customers)
  await introduce(run, keys)
  const after = await used()
  // Checked once more, so that it is not collected before it was measured.
  await run(keys.next(1))
  return { bytes: (after - before) / customers }
}

async function used(): Promise<number> {
  for (let turn = 0; turn < 3; turn++) {
    globalThis.gc?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
