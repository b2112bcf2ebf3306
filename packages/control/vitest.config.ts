import { project } from '../../vitest.base.js'

export default project('control', { testTimeout: 30_000 })
