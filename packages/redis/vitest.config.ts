import { project } from '../../vitest.base.js'

export default project('redis', {
  // What takes minutes is in test/faults, for `npm run test:faults`.
  include: ['test/*.test.ts', 'test/live/*.test.ts'],
  globalSetup: ['test/support/global-setup.ts'],
  setupFiles: ['test/support/count-live.ts'],
})
