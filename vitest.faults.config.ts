// Each project reads it, in vitest.base.ts.
process.env.RAIL_TESTS = 'faults'

export { default } from './vitest.config.js'
