import { project } from '../../vitest.base.js'

// The importers are real programs that wait real seconds.
export default project('example-snip', { testTimeout: 120_000 })
