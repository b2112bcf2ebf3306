import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BUN, DENO, started } from './runtimes.js'

const root = new URL('../../../', import.meta.url).pathname
const project = mkdtempSync(join(tmpdir(), 'rail-tarballs-'))

/** What stands under `exports` in every package: no condition of a runtime. */
const COMMON = ['@rail/source', 'types', 'import', 'require']

/** Every public package, with the names of its entries. */
const packages = readdirSync(join(root, 'packages'))
  .map((folder) => ({
    folder,
    manifest: JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8')),
  }))
  .filter(({ manifest }) => !manifest.private)
  .map(({ folder, manifest }) => ({
    name: manifest.name as string,
    folder,
    peers: (manifest.peerDependencies ?? {}) as Record<string, string>,
    conditions: Object.keys(manifest.exports['.']).filter((key) => !COMMON.includes(key)),
    entries: Object.keys(manifest.exports)
      .filter((entry) => !entry.endsWith('.json'))
      .map((entry) => join(manifest.name, entry)),
  }))
const entries = packages.flatMap((one) => one.entries)
/** The conditions of edge runtimes, and the packages that have a build for them. */
const edgePackages = packages.filter((one) => one.conditions.length > 0)
const conditions = [...new Set(edgePackages.flatMap((one) => one.conditions))]

const COMPILERS = { 'typescript-5.9': '5.9.3', 'typescript-6': '6', 'typescript-7': '7' }
/** Versions that the peer ranges admit and that Node 20 runs. */
const PEERS: Record<string, string> = { express: '5.3.0', vitest: '4.1.12' }

function run(command: string, args: string[], cwd = project): string {
  try {
    return execFileSync(command, args, {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 64 << 20,
    })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`)
  }
}

beforeAll(() => {
  const tarballs = packages.map(({ name, folder }) => {
    const out = run('pnpm', ['pack', '--json', '--pack-destination', project], join(root, 'packages', folder))
    return [name, `file:${JSON.parse(out).filename}`]
  })
  const peers = [...new Set(packages.flatMap((one) => Object.keys(one.peers)))].filter(
    (name) => !name.startsWith('@rail/'),
  )
  const dependencies = {
    ...Object.fromEntries(tarballs),
    ...Object.fromEntries(
      peers.map((name) => [name, PEERS[name] ?? packages.map((one) => one.peers[name]).find(Boolean)]),
    ),
    '@types/node': '20',
    '@types/express': '5',
    '@types/koa': '3',
    ...Object.fromEntries(Object.entries(COMPILERS).map(([name, version]) => [name, `npm:typescript@${version}`])),
  }
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'user', private: true, dependencies }))
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'])
})

afterAll(() => rmSync(project, { recursive: true }))

/** What only loads inside a running test is left to the compilers. */
const loadable = entries.filter((entry) => entry !== '@rail/conformance')

interface Loaded {
  readonly entry: string
  readonly file: string
  readonly names: readonly string[]
}

/** Loads every entry in one process of Node. Gives the file that each resolves to, and the names that it exports. */
function loaded(kind: 'import' | 'require', flags: readonly string[]): Loaded[] {
  const [load, resolve] =
    kind === 'import'
      ? ['await import(entry)', 'import.meta.resolve(entry)']
      : ['require(entry)', 'require.resolve(entry)']
  const code = `const found = []
for (const entry of ${JSON.stringify(loadable)}) {
  const names = Object.keys(${load}).filter((name) => name !== 'module.exports').sort()
  found.push({ entry, file: ${resolve}, names })
}
console.log(JSON.stringify(found))`
  const type = kind === 'import' ? 'module' : 'commonjs'
  return JSON.parse(run('node', [...flags, `--input-type=${type}`, '-e', code]))
}

describe('a packed tarball in an empty project', () => {
  test.each(loadable)('%s is there for import', (entry) => {
    expect(
      Number(run('node', ['--input-type=module', '-e', `console.log(Object.keys(await import('${entry}')).length)`])),
    ).toBeGreaterThan(0)
  })

  test.each(loadable)('%s is there for require', (entry) => {
    expect(Number(run('node', ['-e', `console.log(Object.keys(require('${entry}')).length)`]))).toBeGreaterThan(0)
  })

  describe.each(conditions)('under the condition %s', (condition) => {
    test.each(['import', 'require'] as const)(
      'every entry has the same names for %s, and core and Hono their edge build',
      (kind) => {
        const edge = loaded(kind, ['-C', condition])
        const usual = loaded(kind, [])
        expect(edge.map(({ entry, names }) => [entry, names])).toEqual(usual.map(({ entry, names }) => [entry, names]))
        for (const { entry, file } of edge) {
          const isEdge = edgePackages.some((one) => one.entries.includes(entry))
          expect([entry, /\/dist\/edge\/\w+\.c?js$/.test(file)]).toEqual([entry, isEdge])
        }
        expect(usual.filter(({ file }) => file.includes('/edge/'))).toEqual([])
      },
    )
  })

  test('Deno takes the edge build by itself, and Bun and Node the other one', () => {
    const resolve = "console.log(['@rail/core', '@rail/hono'].map((name) => import.meta.resolve(name)).join())"
    const edge = /core\/dist\/edge\/index\.js,.*hono\/dist\/edge\/index\.js/
    const usual = /core\/dist\/index\.js,.*hono\/dist\/index\.js/
    expect(run(DENO, ['eval', '--node-modules-dir=manual', resolve])).toMatch(edge)
    expect(run(BUN, ['-e', resolve])).toMatch(usual)
    expect(run('node', ['--input-type=module', '-e', resolve])).toMatch(usual)
  })

  describe.each(['express', 'fastify', 'koa'])('@rail/%s', (framework) => {
    test.each(['Deno', 'Node'])('limits on %s, whoever writes the response', async (runtime) => {
      const file = join(project, 'framework.mjs')
      copyFileSync(new URL('apps/framework.mjs', import.meta.url), file)
      const { url, stop } =
        runtime === 'Node'
          ? await started(process.execPath, [file, framework], project)
          : await started(DENO, ['run', '--allow-all', '--node-modules-dir=manual', file, framework], project)
      try {
        const seen = []
        for (const path of ['/', '/raw', '/thrown', '/']) {
          const { status, headers } = await fetch(url + path, { headers: { connection: 'close' } })
          const left = /^"per_minute";r=(\d)/.exec(headers.get('ratelimit') ?? '')?.[1]
          seen.push([path, status, left, headers.has('retry-after')])
        }
        expect(seen).toEqual([
          ['/', 200, '2', false],
          ['/raw', 200, '1', false],
          ['/thrown', 500, '0', false],
          ['/', 429, '0', true],
        ])
      } finally {
        await stop()
      }
    })
  })

  for (const compiler of Object.keys(COMPILERS)) {
    for (const [resolution, module] of Object.entries({
      node16: 'node16',
      nodenext: 'nodenext',
      bundler: 'preserve',
    })) {
      test(`every entry type-checks with ${compiler} under ${resolution}, for import and for require`, () => {
        const folder = join(project, `${compiler}-${resolution}`)
        mkdirSync(folder)
        const lines = entries.map(
          (entry, index) => `import * as entry${index} from '${entry}'\nexport { entry${index} }`,
        )
        const files = ['all.mts', 'all.cts']
        for (const file of files) writeFileSync(join(folder, file), lines.join('\n'))
        const compilerOptions = {
          module,
          moduleResolution: resolution,
          target: 'es2023',
          lib: ['es2023', 'dom'],
          types: ['node'],
          strict: true,
          noEmit: true,
        }
        writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
        const { stdout } = spawnSync(join(project, 'node_modules', compiler, 'bin/tsc'), ['-p', folder], {
          cwd: project,
          encoding: 'utf8',
        })
        // Frameworks' own types may be at fault; ours, and what uses them, may not.
        expect(
          stdout.split('\n').filter((line) => /error TS/.test(line) && /@rail|all\.[mc]ts|^error/.test(line)),
        ).toEqual([])
      })
    }
  }

  test('a wrong use of a tarball does not type-check', () => {
    const folder = join(project, 'wrong')
    mkdirSync(folder)
    writeFileSync(join(folder, 'all.mts'), "import { perSecond } from '@rail/core'\nperSecond('2')\n")
    const compilerOptions = { module: 'nodenext', target: 'es2023', strict: true, noEmit: true }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['all.mts'] }))
    const { stdout } = spawnSync(join(project, 'node_modules/typescript-5.9/bin/tsc'), ['-p', folder], {
      cwd: project,
      encoding: 'utf8',
    })
    expect(stdout).toMatch(/all\.mts.*error TS2345/)
  })
})
