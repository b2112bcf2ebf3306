// Shared by the checks: the root folder, how to run a program, and how to report a result.
import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../', import.meta.url))

/** The environment with the workspace's programs on the path. */
export const env = { ...process.env, PATH: join(root, 'node_modules/.bin') + delimiter + process.env.PATH }

/** Runs a program to its end. Returns whether it succeeded, and its output. */
export function run(command, args, cwd = root) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
    shell: process.platform === 'win32',
  })
  return { ok: status === 0, stdout: stdout ?? '', output: error ? String(error) : stdout + stderr }
}

/** The Markdown files of the repository, including new ones that are not committed. */
export function markdownFiles() {
  const { stdout } = run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'])
  return [...new Set(stdout.split('\n').filter(Boolean))]
}

/** Prints the faults and the result. Sets the exit code if there are faults. */
export function finish(what, faults) {
  for (const fault of faults) console.error(`${fault}\n`)
  console.log(faults.length === 0 ? `${what}: passed` : `${what}: ${faults.length} failed`)
  if (faults.length > 0) process.exitCode = 1
}
