import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Builds the packages before the tests: the types that users get are made by the build. */
export function setup(): void {
  const root = fileURLToPath(new URL('../../../', import.meta.url))
  execFileSync('npm', ['run', 'build', '--silent'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
}
