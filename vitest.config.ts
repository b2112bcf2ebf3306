import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: ['packages/*/vitest.config.ts', 'examples/*/vitest.config.ts'],
    // More workers than cores on a small machine, since many tests wait for sockets, servers and processes.
    maxWorkers: Math.max(3, availableParallelism() - 1),
  },
})
