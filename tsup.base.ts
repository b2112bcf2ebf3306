import { defineConfig, type Options } from 'tsup'

/** The build of every package: ESM, CommonJS and types for both. A package says what differs, such as a second entry. */
export function library(options: Options = {}) {
  return defineConfig({
    entry: ['src/index.ts'],
    format: ['esm', 'cjs'],
    target: 'node20',
    dts: true,
    clean: true,
    ...options,
  })
}
