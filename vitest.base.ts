import { defineProject, type UserWorkspaceConfig } from 'vitest/config'

/** The tests of one package or example. The condition makes `@rail/*` resolve to sources, so tests need no build. */
export function project(name: string, test: UserWorkspaceConfig['test'] = {}) {
  return defineProject({
    ssr: { resolve: { conditions: ['@rail/source', 'module', 'node', 'development|production'] } },
    // A slow machine is no fault: a test that hangs is stopped, and no other.
    test: { name, include: ['test/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000, ...test },
  })
}
