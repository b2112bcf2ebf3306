import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const EXAMPLE = fileURLToPath(new URL('..', import.meta.url))

/** A program, all that it printed, and the code it ended with. */
export interface Ran {
  readonly output: string
  readonly code: number | null
}

/** How a program in TypeScript is run. */
export const TYPESCRIPT = ['-C', '@rail/source', '--import', 'tsx']

/** One of the two importers: as a program of its own, as a user would run it. */
export type Importer = (
  file: string,
  url: string,
  onStart?: (child: ChildProcess) => void,
  apiKey?: string,
) => Promise<Ran>

export const importer: Importer = (...args) => run(process.execPath, [...TYPESCRIPT, 'src/importer/main.ts'], ...args)
export const script: Importer = (...args) => run('bash', ['import.sh'], ...args)

function run(
  command: string,
  args: readonly string[],
  file: string,
  url: string,
  onStart?: (child: ChildProcess) => void,
  apiKey = 'snip_free_ada',
): Promise<Ran> {
  const env = { ...process.env, SNIP_URL: url, SNIP_KEY: apiKey }
  // A group of its own, so that what it started is ended with it, as by a Ctrl-C.
  const child = spawn(command, [...args, file], { cwd: EXAMPLE, env, detached: true })
  let output = ''
  child.stdout?.on('data', (data) => (output += data))
  child.stderr?.on('data', (data) => (output += data))
  // One that hangs must not outlive its test.
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) end(child, 'SIGKILL')
  })
  onStart?.(child)
  return new Promise((resolve) => child.on('close', (code) => resolve({ output, code })))
}

/** Ends a program and all that it started, as a terminal does. */
export function end(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid !== undefined) process.kill(-child.pid, signal)
}
