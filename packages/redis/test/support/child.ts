import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

/** Runs a file beside this one as a process of its own, from sources. What it prints is kept in `output`. */
export function startChild(file: string, ...args: string[]): { process: ChildProcess; output: () => string } {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    cwd: ROOT,
    execArgv: ['-C', '@rail/source', '--import', 'tsx', '--expose-gc'],
    silent: true,
  })
  let output = ''
  child.stdout?.on('data', (data) => {
    output += String(data)
  })
  child.stderr?.on('data', (data) => {
    output += String(data)
  })
  return { process: child, output: () => output }
}
