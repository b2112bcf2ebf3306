// Runs turbo with its telemetry off, on every operating system.
import { spawnSync } from 'node:child_process'

const { status, error } = spawnSync('turbo', ['run', ...process.argv.slice(2)], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' },
})
if (error !== undefined)
  console.error(`turbo cannot be run (${error.message}). npm run puts it on the PATH: npm run build.`)
process.exit(status ?? 1)
