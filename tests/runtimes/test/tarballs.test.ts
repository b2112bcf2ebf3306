import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = new URL('../../../', import.meta.url).pathname
const project = mkdtempSync(join(tmpdir(), 'rail-tarballs-'))

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
    entries: Object.keys(manifest.exports)
      .filter((entry) => !entry.endsWith('.json'))
      .map((entry) => join(manifest.name, entry)),
  }))
const entries = packages.flatMap((one) => one.entries)

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

describe('a packed tarball in an empty project', () => {
  test.each(loadable)('%s is there for import', (entry) => {
    expect(
      Number(run('node', ['--input-type=module', '-e', `console.log(Object.keys(await import('${entry}')).length)`])),
    ).toBeGreaterThan(0)
  })

  test.each(loadable)('%s is there for require', (entry) => {
    expect(Number(run('node', ['-e', `console.log(Object.keys(require('${entry}')).length)`]))).toBeGreaterThan(0)
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
