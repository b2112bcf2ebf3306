// Installs the dependencies where they are missing or older than the lockfile, so that `npm start` and `npm test` work
// right after a clone, with Node and npm alone. pnpm's own record of an install is a copy of the lockfile.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const root = new URL('../', import.meta.url)
const read = (path) => {
  try {
    return readFileSync(new URL(path, root), 'utf8')
  } catch {
    return undefined
  }
}

if (read('node_modules/.pnpm/lock.yaml') !== read('pnpm-lock.yaml')) {
  const pnpm = JSON.parse(read('package.json')).devDependencies.pnpm
  const { status } = spawnSync('npx', ['--yes', `pnpm@${pnpm}`, 'install', '--frozen-lockfile'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
    env: { ...process.env, CI: 'true' },
  })
  if (status !== 0) process.exit(status ?? 1)
}
