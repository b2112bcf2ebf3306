import { project } from '../../vitest.base.js'

// The one suite that waits in real time: it is the clients' own timers that it tests.
export default project('clients', { testTimeout: 30_000 })
