import { builtinModules } from 'node:module'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/** What an application imports to limit by two windows. */
export const USUAL = "export { rateLimit, perSecond, perMinute } from '@rail/hono'"

/** The conditions that a bundler for Cloudflare Workers sets. */
export const EDGE = ['workerd', 'worker', 'browser'] as const

/** The bytes, gzipped, that {@link USUAL} may have under {@link EDGE}. CI checks it: `npm run check:size`. */
export const MOST_EDGE_BYTES = 14_000

/** An application's code in one file, minified. */
export interface Bundle {
  readonly code: Uint8Array
  readonly gzippedBytes: number
  /** The files that are in it. */
  readonly files: readonly string[]
}

/**
 * Bundles an entry from the built packages, as an application's bundler does: minified ESM for ES2022. Frameworks are left
 * out, because the application has them anyway.
 */
export async function bundleOf(entry: string, conditions: readonly string[] = []): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: entry, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['import', 'module', ...conditions],
    target: 'es2022',
    external: ['hono', 'hono/*', 'express', 'node:*', ...builtinModules],
  })
  const code = outputFiles[0]?.contents ?? new Uint8Array()
  return { code, gzippedBytes: gzipSync(code, { level: 9 }).length, files: Object.keys(metafile.inputs) }
}
