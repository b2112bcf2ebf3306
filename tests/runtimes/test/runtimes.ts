import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { RunningApp } from '@rail/conformance'
import { EdgeRuntime, runServer } from 'edge-runtime'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { Miniflare } from 'miniflare'
import type { Served } from './apps/served.js'

/** The export conditions that each runtime's loader sets, or the bundler that is usual there. */
export const CONDITIONS = {
  'Node 20': ['node'],
  'Node 22': ['node'],
  'Node 24': ['node'],
  'Node with the edge build': ['worker', 'node'],
  Bun: ['bun', 'node'],
  Deno: ['deno', 'node'],
  workerd: ['workerd', 'worker', 'browser'],
  "Vercel's edge-runtime": ['edge-light', 'browser'],
} as const

export type Runtime = keyof typeof CONDITIONS

/** Each runtime, and how the app under test is started on it. One that cannot start fails. */
export const runtimes: Record<Runtime, (served: Served) => Promise<RunningApp>> = {
  'Node 20': (served) => onProcess('node', served, 'Node 20', nodeOf(20), []),
  'Node 22': (served) => onProcess('node', served, 'Node 22', nodeOf(22), []),
  'Node 24': (served) => onProcess('node', served, 'Node 24', nodeOf(24), []),
  'Node with the edge build': (served) => onProcess('node', served, 'Node with the edge build', process.execPath, []),
  Bun: (served) => onProcess('bun', served, 'Bun', BUN, ['run']),
  Deno: (served) =>
    onProcess('deno', served, 'Deno', DENO, ['run', '--allow-net=127.0.0.1', '--no-lock', '--no-remote']),
  workerd: async (served) => {
    const script = await bundled('workerd', served, CONDITIONS.workerd)
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
    const initialCode = await bundled('edge-runtime', served, CONDITIONS["Vercel's edge-runtime"], { format: 'iife' })
    const server = await runServer({ runtime: new EdgeRuntime({ initialCode }), host: '127.0.0.1', port: 0 })
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

export const BUN = binaryOf('bun', `@oven/bun-${PLATFORM.bun}/bin/bun`)
export const DENO = binaryOf('deno', `@deno/${PLATFORM.deno}/deno`)

/** The app's code in one file, as a user's bundler makes it of the built packages. */
export async function bundled(
  app: string,
  served: Served,
  conditions: readonly string[],
  options: BuildOptions = {},
): Promise<string> {
  const { outputFiles } = await buildOf(app, served, conditions, options)
  return outputFiles?.[0]?.text ?? ''
}

/** The paths of the files in an app, from the root of the project. */
export async function filesIn(app: string, served: Served, conditions: readonly string[]): Promise<string[]> {
  const { metafile } = await buildOf(app, served, conditions, { metafile: true, external: ['node:*'] })
  return Object.keys(metafile?.inputs ?? {})
}

function buildOf(app: string, served: Served, conditions: readonly string[], options: BuildOptions) {
  return build({
    entryPoints: [fileURLToPath(new URL(`apps/${app}.ts`, import.meta.url))],
    absWorkingDir: fileURLToPath(new URL('../../../', import.meta.url)),
    bundle: true,
    define: { SERVED: JSON.stringify(served) },
    write: false,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: [...conditions],
    plugins: [BUILT],
    target: 'es2022',
    ...options,
  })
}

/** The app of Hono's own tests imports the adapter's sources. Here it gets what a user gets. */
const BUILT: Plugin = {
  name: 'built',
  setup(build) {
    build.onResolve({ filter: /^\.\.\/src\/index\.js$/ }, ({ kind }) =>
      build.resolve('@rail/hono', { kind, resolveDir: fileURLToPath(new URL('.', import.meta.url)) }),
    )
  },
}

/** Runs the bundled app as a process of its own, which prints its port. */
async function onProcess(
  app: string,
  served: Served,
  runtime: Runtime,
  program: string,
  args: string[],
): Promise<RunningApp> {
  const folder = mkdtempSync(join(tmpdir(), 'rail-runtime-'))
  const file = join(folder, 'app.mjs')
  const platform = app === 'node' ? 'node' : 'neutral'
  await bundled(app, served, CONDITIONS[runtime], { write: true, outfile: file, platform, external: ['node:*'] })
  const { url, stop } = await started(program, [...args, file], folder)
  return {
    url,
    stop: async () => {
      await stop()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Starts a program that serves, and waits until it prints its port. */
export async function started(program: string, args: readonly string[], cwd: string): Promise<RunningApp> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
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
    },
  }
}
