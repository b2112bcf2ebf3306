import { project } from '../../vitest.base.js'

// One program at a time: the compiler takes a core and a gigabyte.
export default project('types', { globalSetup: 'test/build.ts', fileParallelism: false, testTimeout: 300_000 })
