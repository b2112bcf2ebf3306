import type { ContestantName } from '../contestants.js'
import { FreshKeys } from '../keys.js'
import { introduce, runnerOf } from '../runner.js'

/** Checks of known customers, of whom the keys are at hand: what is allocated is the check's. To be run with --trace-gc. */
export async function garbageTask(input: { readonly subject: ContestantName; readonly checks: number }) {
  const { subject, checks } = input
  const customers = 1_000
  const keys = new FreshKeys(customers, 'uniform')
  const run = runnerOf(subject, customers)
  await introduce(run, keys)
  const known = keys.next(10_000)
  for (let warm = 0; warm < 20; warm++) await run(known)
  globalThis.gc?.()
  console.log('measured from here')
  for (let done = 0; done < checks; done += known.length) await run(known)
  return { checks, lines: [] as string[] }
}
