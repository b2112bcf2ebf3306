import { setTimeout as sleep } from 'node:timers/promises'
import { FreshKeys } from '../keys.js'
import { introduce, runnerOf, timed } from '../runner.js'

/** Checks of this process in each of so many seconds from a moment on, which is the same for all processes. */
export async function throughputTask(input: {
  readonly customers: number
  readonly from: number
  readonly seconds: number
}) {
  const keys = new FreshKeys(input.customers, 'uniform')
  const run = runnerOf('rail', input.customers)
  await introduce(run, keys)
  for (let warm = 0; warm < 200; warm++) await run(keys.next(1_000))
  const early = input.from - Date.now()
  if (early < 0) throw new Error(`Ready ${-early} ms after the processes were to start together.`)
  await sleep(early)
  const perSecond: number[] = []
  for (let second = 1; second <= input.seconds; second++) {
    let checks = 0
    for (; Date.now() < input.from + 1000 * second; checks += 1_000) await timed(run, keys.next(1_000))
    perSecond.push(checks)
  }
  return { perSecond }
}
