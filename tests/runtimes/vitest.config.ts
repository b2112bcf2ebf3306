import { project } from '../../vitest.base.js'

// Every file starts servers or installs packages: one at a time, and as long as that takes.
export default project('runtimes', {
  globalSetup: 'test/build.ts',
  fileParallelism: false,
  testTimeout: 900_000,
  hookTimeout: 900_000,
})
