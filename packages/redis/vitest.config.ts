import { project } from '../../vitest.base.js'

export default project('redis', {
  globalSetup: ['test/support/global-setup.ts'],
  setupFiles: ['test/support/count-live.ts'],
  // Some look at all timers of their process.
  isolate: true,
  // How long takes and repairs last is measured: nothing else runs meanwhile.
  ...(process.env.RAIL_TESTS === 'faults' && { maxWorkers: 1, sequence: { groupOrder: 1 } }),
})
