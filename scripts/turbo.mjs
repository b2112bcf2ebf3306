// Runs turbo without telemetry, on every operating system.
import { spawnSync } from 'node:child_process'

const { status, error } = spawnSync('turbo', ['run', ...process.argv.slice(2)], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' },
})
if (error !== undefined)
  console.error(`turbo: expected it on the PATH, got ${error.message}. Run it by npm, for example npm run build.`)
process.exit(status ?? 1)
