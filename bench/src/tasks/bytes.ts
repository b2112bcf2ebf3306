import { type ContestantName, contestant } from '../contestants.js'
import { FreshKeys } from '../keys.js'
import { introduce, runnerOf } from '../runner.js'

/** Memory of one customer: what the heap and memory outside of it grow by, once nothing else is left. */
export async function bytesTask(input: { readonly subject: ContestantName; readonly customers: number }) {
  const { subject, customers } = input
  const keys = new FreshKeys(customers, 'uniform')
  // What is made once, code above all, is no customer's: other stores as busy as this one have it made, and go.
  // Those that wait for something keep what they made until it has come, so they make but a little.
  const few = contestant(subject).async ? 1_000 : Math.min(customers, 40_000)
  for (let store = 0; store < 3; store++) await introduce(runnerOf(subject, few), new FreshKeys(few, 'uniform'))
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
