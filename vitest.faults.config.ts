import { availableParallelism } from 'node:os'
import { mergeConfig } from 'vitest/config'
import config from './vitest.config.js'

// vitest.base.ts reads it for each project.
process.env.RAIL_TESTS = 'faults'

// These tests wait longer than others, so another worker fits.
export default mergeConfig(config, { test: { maxWorkers: Math.max(4, availableParallelism()) } })
