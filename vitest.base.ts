import { defineProject, type UserWorkspaceConfig } from 'vitest/config'

const FAULTS = 'test/faults/**/*.test.ts'

/**
 * The tests of one package or example. The condition makes `@rail/*` resolve to sources, so tests need no build.
 * What kills, starves or takes long is in `test/faults`, and runs by itself: `npm run test:faults`.
 */
export function project(name: string, test: UserWorkspaceConfig['test'] = {}) {
  return defineProject({
    ssr: { resolve: { conditions: ['@rail/source', 'module', 'node', 'development|production'] } },
    test: {
      name,
      ...(process.env.RAIL_TESTS === 'faults'
        ? { include: [FAULTS] }
        : // Files share a process, which saves a third of the work: none leaves anything behind for the next.
          { include: ['test/**/*.test.ts'], exclude: [FAULTS], isolate: false }),
      restoreMocks: true,
      unstubGlobals: true,
      // A slow machine is no fault: a test that hangs is stopped, and no other.
      testTimeout: 60_000,
      hookTimeout: 60_000,
      ...test,
    },
  })
}
