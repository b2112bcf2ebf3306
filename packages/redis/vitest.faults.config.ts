import { project } from '../../vitest.base.js'

// What takes minutes: `npm run test:faults`.
process.env.RAIL_FAULTS = 'all'
process.env.RAIL_FLOOD_SECONDS ??= '20'

export default project('redis faults', {
  globalSetup: ['test/support/global-setup.ts'],
  setupFiles: ['test/support/count-live.ts'],
  include: ['test/faults/**/*.test.ts', 'test/live/exact.test.ts', 'test/live/exit.test.ts'],
})
