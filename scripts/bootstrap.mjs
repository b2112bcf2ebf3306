// Installs the dependencies if they are missing or do not match the lockfile. So `npm start` and `npm test` work right after
// a clone, with Node and npm only. `--all` also installs the dependencies of tests/*, which are large.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url))
const read = (name) => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : '')

const all = process.argv.includes('--all')
const lockfile = read('pnpm-lock.yaml')
// The last installed lockfile. Its first line is `all` or `usual`.
const installed = read('node_modules/.rail-installed')
if (installed !== `all\n${lockfile}` && (all || installed !== `usual\n${lockfile}`)) {
  const pnpm = JSON.parse(read('package.json')).devDependencies.pnpm
  const some = all ? [] : ['--filter', '!./tests/*']
  const { status } = spawnSync('npx', ['--yes', `pnpm@${pnpm}`, 'install', '--frozen-lockfile', ...some], {
    cwd: path(''),
    stdio: 'inherit',
    shell: process.platform === 'win32',
    env: { ...process.env, CI: 'true' },
  })
  if (status !== 0) process.exit(status ?? 1)
  writeFileSync(path('node_modules/.rail-installed'), `${all ? 'all' : 'usual'}\n${lockfile}`)
}
