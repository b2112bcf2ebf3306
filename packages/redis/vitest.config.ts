import { project } from '../../vitest.base.js'

export default project('redis', {
  globalSetup: ['test/support/global-setup.ts'],
  setupFiles: ['test/support/count-live.ts'],
})
