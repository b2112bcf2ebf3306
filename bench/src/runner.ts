import { type ContestantName, contestant } from './contestants.js'
import type { FreshKeys } from './keys.js'

/** A contestant that is set up: checks all `keys`. */
export type Runner = (keys: readonly string[]) => unknown

/** Compiles a contestant's loop, apart from any other, and makes what it needs. */
export function runnerOf(name: ContestantName, customers: number): Runner {
  const { check, make, async } = contestant(name)
  const needs = make(customers)
  const body = `let sink = 0\nfor (let i = 0; i < keys.length; i++) {\nconst key = keys[i]\n${check}\n}\nreturn sink`
  const source = `return ${async ? 'async ' : ''}function check(keys) {\n${body}\n}`
  return new Function(...Object.keys(needs), source)(...Object.values(needs)) as Runner
}

/** Runs a slice and says how long it took, in nanoseconds a check. */
export async function timed(run: Runner, keys: readonly string[]): Promise<number> {
  const from = performance.now()
  const done = run(keys)
  // Only awaited where there is something to await: a turn of the microtask queue is not part of a synchronous check.
  if (done instanceof Promise) await done
  return ((performance.now() - from) * 1e6) / keys.length
}

/** Makes every customer known. */
export async function introduce(run: Runner, keys: FreshKeys): Promise<void> {
  for (const slice of keys.all(10_000)) await run(slice)
}
