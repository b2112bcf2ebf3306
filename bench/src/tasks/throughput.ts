import { FreshKeys } from '../keys.js'
import { introduce, runnerOf, timed } from '../runner.js'

/** Checks a second of this process, over so many milliseconds that end together for all processes. */
export async function throughputTask(input: { readonly customers: number; readonly until: number }) {
  const keys = new FreshKeys(input.customers, 'uniform')
  const run = runnerOf('rail', input.customers)
  await introduce(run, keys)
  for (let warm = 0; warm < 200; warm++) await run(keys.next(1_000))
  let checks = 0
  const from = Date.now()
  while (Date.now() < input.until) {
    await timed(run, keys.next(1_000))
    checks += 1_000
  }
  return { perSecond: (checks * 1000) / (Date.now() - from) }
}
