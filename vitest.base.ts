import { defineProject, type UserWorkspaceConfig } from 'vitest/config'

const FAULTS = 'test/faults/**/*.test.ts'

/**
 * The tests of one package or example. The condition makes `@rail/*` resolve to sources, so tests need no build.
 * Tests that kill processes, use up memory or take long are in `test/faults`: `npm run test:faults` runs them.
 */
export function project(name: string, test: UserWorkspaceConfig['test'] = {}) {
  return defineProject({
    ssr: { resolve: { conditions: ['@rail/source', 'module', 'node', 'development|production'] } },
    test: {
      name,
      ...(process.env.RAIL_TESTS === 'faults'
        ? { include: [FAULTS] }
        : // Files share a process, which saves a third of the time. No file may leave anything behind for the next.
          { include: ['test/**/*.test.ts'], exclude: [FAULTS], isolate: false }),
      restoreMocks: true,
      unstubGlobals: true,
      // Stops a test that hangs, but none that is slow because the machine is.
      testTimeout: 60_000,
      hookTimeout: 60_000,
      ...test,
    },
  })
}
