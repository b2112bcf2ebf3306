import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { atMost, type Row } from '../goal.js'
import type { Findings, Part } from '../part.js'
import { bundleOf, EDGE, MOST_EDGE_BYTES, USUAL } from '../size/bundle.js'
import { FEATURES } from '../size/features.js'

const run = promisify(execFile)

const NAMES = '{ rateLimit, perSecond, perMinute }'

/** What an application's bundle pays: bytes as sent, the time until it has loaded, and what each feature adds. */
export const sizePart: Part = async ({ say }): Promise<Findings> => {
  say('bundles')
  const usual = await bundleOf(USUAL, EDGE)
  const bytesOf = async (entry: string, conditions: readonly string[] = []): Promise<number> =>
    (await bundleOf(entry, conditions)).gzippedBytes
  const sizes: Row[] = [
    {
      ...kB(`@rail/hono: ${NAMES}`, 'edge build', usual.gzippedBytes),
      goal: atMost(MOST_EDGE_BYTES / 1000, MOST_EDGE_BYTES / 1000),
      note: `${usual.gzippedBytes} bytes`,
    },
    kB(`@rail/hono: ${NAMES}`, 'Node build', await bytesOf(USUAL)),
    kB('@rail/hono: all', 'edge build', await bytesOf(ALL, EDGE)),
    kB('@rail/hono: all', 'Node build', await bytesOf(ALL)),
    kB('hono-rate-limiter', 'with its memory store', await bytesOf("export { rateLimiter } from 'hono-rate-limiter'")),
    kB('express-rate-limit', 'with its memory store', await bytesOf("export { rateLimit } from 'express-rate-limit'")),
  ]
  const features: Row[] = []
  for (const [name, entry] of Object.entries(FEATURES)) {
    const bytes = await bytesOf(`${USUAL}\n${entry}`, EDGE)
    features.push({
      what: `${name} adds`,
      against: 'edge build, bytes',
      rounds: [bytes - usual.gzippedBytes],
      unit: 'bytes',
    })
  }
  say('loading')
  const loading: Row[] = [
    {
      what: '@rail/hono loads in',
      against: 'edge build, a fresh process',
      rounds: await loads(usual.code),
      unit: 'ms',
      goal: atMost(3, 30),
    },
    // What Node's loader takes by itself the first time it is asked for a module.
    { what: 'an empty module loads in', against: 'a fresh process', rounds: await loads(EMPTY), unit: 'ms' },
  ]
  return {
    title: 'Bundles, minified and gzipped',
    rows: [...sizes, ...features, ...loading],
    packages: ['hono', 'hono-rate-limiter', 'express-rate-limit', 'esbuild'],
  }
}

const ALL = "export * from '@rail/hono'"
const EMPTY = new Uint8Array()

function kB(what: string, against: string, bytes: number): Row {
  return { what, against, rounds: [bytes / 1000], unit: 'kB' }
}

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
