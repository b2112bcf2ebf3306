// Runs turbo with its telemetry off, on every operating system.
import { spawnSync } from 'node:child_process'

const { status } = spawnSync('turbo', ['run', ...process.argv.slice(2)], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' },
})
process.exit(status ?? 1)
