import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { atMost, type Row } from '../goal.js'
import type { Extent, Findings, Part } from '../part.js'

const run = promisify(execFile)

/** What an edge bundle pays: bytes as sent, and the time until it has loaded. */
export const sizePart: Part = async (extent): Promise<Findings> => ({
  title: 'The bundle of an edge application',
  rows: [
    ...(await bundled(extent, 'Rail: core and the Hono adapter', RAIL, true)),
    ...(await bundled(extent, 'hono-rate-limiter', "export { rateLimiter } from 'hono-rate-limiter'", false)),
    ...(await bundled(extent, 'express-rate-limit', "export { rateLimit } from 'express-rate-limit'", false)),
  ],
  packages: ['hono', 'hono-rate-limiter', 'express-rate-limit', 'esbuild'],
})

const RAIL = "export { rateLimit, perSecond, perMinute } from '@rail/hono'"

async function bundled(extent: Extent, what: string, entry: string, ours: boolean): Promise<Row[]> {
  extent.say(`bundle of ${what}`)
  const here = fileURLToPath(new URL('.', import.meta.url))
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: here },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: ours ? 'browser' : 'node',
    target: 'es2022',
    // The application has them anyway.
    external: ['hono', 'hono/*', 'express'],
  })
  const code = outputFiles[0]?.contents ?? new Uint8Array()
  const size: Row = {
    what,
    against: 'minified, gzipped',
    rounds: [gzipSync(code, { level: 9 }).length / 1000],
    unit: 'kB',
    ...(ours && { goal: atMost(6, 24) }),
  }
  if (!ours) return [size]
  return [
    size,
    {
      what: `${what} loads in`,
      against: 'a fresh process',
      rounds: await loads(code),
      unit: 'ms',
      goal: atMost(3, 30),
    },
    // What Node's loader takes by itself the first time it is asked for a module.
    { what: 'an empty module loads in', against: 'a fresh process', rounds: await loads(EMPTY), unit: 'ms' },
  ]
}

const EMPTY = new Uint8Array()

/** Milliseconds to read, compile and run the bundle, in processes of their own. */
async function loads(code: Uint8Array): Promise<number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'rail-bench-'))
  try {
    const file = join(folder, 'bundle.mjs')
    await writeFile(file, code)
    const measure = `const from = performance.now(); await import(${JSON.stringify(file)}); console.log(performance.now() - from)`
    const found: number[] = []
    for (let process_ = 0; process_ < 7; process_++) {
      const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', measure])
      found.push(Number(stdout))
    }
    return found
  } finally {
    await rm(folder, { recursive: true })
  }
}
