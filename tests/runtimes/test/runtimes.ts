import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { RunningApp } from '@rail/conformance'
import { EdgeRuntime, runServer } from 'edge-runtime'
import { type BuildOptions, build } from 'esbuild'
import { Miniflare } from 'miniflare'
import type { Served } from './apps/served.js'

/** Each runtime, and how the app under test is started on it. One that cannot start fails. */
export const runtimes: Record<string, (served: Served) => Promise<RunningApp>> = {
  'Node 20': (served) => onProcess('node', served, nodeOf(20), []),
  'Node 22': (served) => onProcess('node', served, nodeOf(22), []),
  'Node 24': (served) => onProcess('node', served, nodeOf(24), []),
  Bun: (served) => onProcess('bun', served, binaryOf('bun', `@oven/bun-${PLATFORM.bun}/bin/bun`), ['run']),
  Deno: (served) =>
    onProcess('deno', served, binaryOf('deno', `@deno/${PLATFORM.deno}/deno`), [
      'run',
      '--allow-net=127.0.0.1',
      '--no-lock',
      '--no-remote',
    ]),
  workerd: async (served) => {
    const script = await bundled('workerd', served)
    const worker = new Miniflare({
      modules: true,
      script,
      compatibilityDate: '2026-04-01',
      host: '127.0.0.1',
      port: 0,
      cf: false,
      telemetry: { enabled: false },
    })
    const { origin } = await worker.ready
    return { url: origin, stop: () => worker.dispose() }
  },
  "Vercel's edge-runtime": async (served) => {
    const runtime = new EdgeRuntime({ initialCode: await bundled('edge-runtime', served, { format: 'iife' }) })
    const server = await runServer({ runtime, host: '127.0.0.1', port: 0 })
    return { url: server.url.replace(/\/$/, ''), stop: () => server.close() }
  },
}

const require = createRequire(import.meta.url)

/** The names that packages of binaries give this platform. */
const PLATFORM = {
  bun: `${process.platform}-${process.arch === 'arm64' ? 'aarch64' : 'x64'}`,
  deno: `${process.platform}-${process.arch}${process.platform === 'linux' ? '-glibc' : ''}`,
}

function nodeOf(major: number): string {
  return require.resolve(`node-${major}-${process.platform}-${process.arch}/bin/node`)
}

/** A binary that comes in a package of its own, which the runtime's package depends on. */
function binaryOf(runtime: string, path: string): string {
  return createRequire(require.resolve(`${runtime}/package.json`)).resolve(path)
}

/** The app's code in one file, as a user's bundler makes it. */
export async function bundled(app: string, served: Served, options: BuildOptions = {}): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`apps/${app}.ts`, import.meta.url))],
    bundle: true,
    define: { SERVED: JSON.stringify(served) },
    write: false,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['@rail/source', 'import'],
    target: 'es2022',
    ...options,
  })
  return outputFiles?.[0]?.text ?? ''
}

/** Runs the bundled app as a process of its own, which prints its port. */
async function onProcess(app: string, served: Served, program: string, args: string[]): Promise<RunningApp> {
  const folder = mkdtempSync(join(tmpdir(), 'rail-runtime-'))
  const file = join(folder, 'app.mjs')
  const platform = app === 'node' ? 'node' : 'neutral'
  await bundled(app, served, { write: true, outfile: file, platform, external: ['node:*'] })
  const child = spawn(program, [...args, file], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (data) => {
    errors += data
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const port = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => line.startsWith('port ') && resolve(line.slice(5)))
    child.once('error', reject)
    void ended.then(() => reject(new Error(`${program} ended before it listened:\n${errors}`)))
  })
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      child.kill()
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}
