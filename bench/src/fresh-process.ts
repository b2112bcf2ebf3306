import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { TaskInput, TaskName, TaskResult } from './tasks.js'

const run = promisify(execFile)
const CHILD = fileURLToPath(new URL('child.ts', import.meta.url))

/** Measures in a process of its own: no other contestant's heap, caches or type feedback are in the way. */
export async function inFreshProcess<Name extends TaskName>(
  name: Name,
  input: TaskInput<Name>,
  flags: readonly string[] = [],
): Promise<TaskResult<Name>> {
  const args = ['--expose-gc', ...flags, '--import', 'tsx', CHILD, name, JSON.stringify(input)]
  const { stdout } = await run(process.execPath, args, { maxBuffer: 2 ** 28 })
  // What flags such as --trace-gc print comes before the result, which is the last line.
  const lines = stdout.trimEnd().split('\n')
  const result = JSON.parse(lines.pop() ?? '') as TaskResult<Name>
  return flags.length === 0 ? result : { ...result, lines }
}
