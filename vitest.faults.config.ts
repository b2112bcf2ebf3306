// vitest.base.ts reads it for each project.
process.env.RAIL_TESTS = 'faults'

export { default } from './vitest.config.js'
