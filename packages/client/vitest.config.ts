import { project } from '../../vitest.base.js'

// Simulations wait for nothing, but they compute; how long that takes on a busy machine is not what is tested.
export default project('client', { testTimeout: 60_000 })
