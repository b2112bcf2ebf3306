// What the checks share: the root folder, running a program, and telling how a check went.
import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../', import.meta.url))

/** The environment with the workspace's programs on the path. */
export const env = { ...process.env, PATH: join(root, 'node_modules/.bin') + delimiter + process.env.PATH }

/** Runs a program to its end; gives its exit code and all it printed. */
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

/** The Markdown files of the repository, those not yet committed too. */
export function markdownFiles() {
  const { stdout } = run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'])
  return [...new Set(stdout.split('\n').filter(Boolean))]
}

/** Prints the faults, or that there are none, and sets the exit code. */
export function finish(what, faults) {
  for (const fault of faults) console.error(`${fault}\n`)
  console.log(faults.length === 0 ? `${what}: fine` : `${what}: ${faults.length} at fault`)
  if (faults.length > 0) process.exitCode = 1
}
