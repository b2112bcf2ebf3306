import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type Options } from 'tsup'

/**
 * The build of every package: ESM, CommonJS and types for both. A package adds what differs, such as a second entry. All
 * entries share their modules, so that a program has one copy of each.
 */
export function library(options: Options = {}) {
  return defineConfig({
    entry: ['src/index.ts'],
    format: ['esm', 'cjs'],
    target: 'node20',
    dts: true,
    clean: true,
    splitting: true,
    esbuildOptions: inline,
    ...options,
  })
}

/**
 * The build for edge runtimes, in dist/edge: the same sources, but where there is `name.edge.ts` beside `name.ts`, it is
 * built instead. Its types are those of the other build.
 */
export function edge(options: Options = {}) {
  return defineConfig({
    entry: ['src/index.ts'],
    format: ['esm', 'cjs'],
    target: 'es2022',
    platform: 'neutral',
    outDir: 'dist/edge',
    splitting: true,
    esbuildOptions: inline,
    esbuildPlugins: [EDGE],
    ...options,
  })
}

/**
 * Inlines constants and empty functions: an exported name is a variable, which the engine would load and check at each use.
 * Not for CommonJS: what tsup splits there passes through sucrase, which breaks `super(…), this.name = …`.
 */
const inline: NonNullable<Options['esbuildOptions']> = (options, { format }) => {
  options.minifySyntax = format === 'esm'
}

const EDGE: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'edge',
  setup(build) {
    build.onResolve({ filter: /^\..*\.js$/ }, ({ path, resolveDir }) => {
      const file = join(resolveDir, path.replace(/\.js$/, '.edge.ts'))
      return existsSync(file) ? { path: file } : undefined
    })
  },
}
