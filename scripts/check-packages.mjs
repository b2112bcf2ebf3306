// Packs every public package as a release does, then checks the tarball: its files, its package.json (publint), and whether
// its types resolve for every kind of importer (arethetypeswrong). Needs a build.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finish, root, run } from './workspace.mjs'

const allowed = /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|dist\/[\w./-]+\.(js|cjs|d\.ts|d\.cts|json))$/
const required = ['package.json', 'README.md', 'LICENSE', 'dist/index.js', 'dist/index.cjs', 'dist/index.d.ts']

function faultsOf(folder, target) {
  const packed = run('pnpm', ['pack', '--json', '--pack-destination', target], folder)
  if (!packed.ok) return [packed.output]
  const { filename } = JSON.parse(packed.stdout)
  const paths = run('tar', ['-tzf', filename]).stdout.match(/(?<=^package\/).+$/gm)
  const manifest = run('tar', ['-xOzf', filename, 'package/package.json']).stdout
  const publint = run('publint', ['run', filename, '--strict'])
  const types = run('attw', [filename, '--profile', 'strict', '--no-emoji', '--no-color'])
  return [
    ...required.filter((path) => !paths.includes(path)).map((path) => `expected ${path} in the tarball, got none`),
    ...paths
      .filter((path) => !allowed.test(path))
      .map(
        (path) =>
          `expected no ${path} in the tarball. Leave it out of "files", or allow it in scripts/check-packages.mjs.`,
      ),
    ...paths
      .filter((path) => path.endsWith('.cjs') && !run('node', ['--check', join(folder, path)]).ok)
      .map((path) => `${path}: expected CommonJS, got a syntax error. Run node --check on it.`),
    ...(manifest.includes('workspace:')
      ? ['expected versions in package.json, got workspace:. Pack it with pnpm.']
      : []),
    ...(JSON.stringify(JSON.parse(manifest).exports).includes('@rail/source')
      ? ['expected no @rail/source in the published exports. Give publishConfig.exports.']
      : []),
    ...[publint, types].filter((check) => !check.ok).map((check) => check.output),
  ]
}

const target = mkdtempSync(join(tmpdir(), 'rail-pack-'))
try {
  const faults = []
  for (const name of readdirSync(join(root, 'packages'))) {
    const folder = join(root, 'packages', name)
    if (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).private) continue
    const found = faultsOf(folder, target).map((fault) => `packages/${name}: ${fault}`)
    console.log(`packages/${name}: ${found.length === 0 ? 'passed' : 'failed'}`)
    faults.push(...found)
  }
  finish('packages', faults)
} finally {
  rmSync(target, { recursive: true })
}
