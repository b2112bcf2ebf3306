// Packs every public package as a release does, then checks the tarball: its files, its package.json (publint, and that no
// dependency is pinned), and whether its types resolve for every kind of importer (arethetypeswrong), under each condition of
// its exports too. Needs a build.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finish, root, run } from './workspace.mjs'

const allowed = /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|dist\/[\w./-]+\.(js|cjs|d\.ts|d\.cts|json))$/
const required = ['package.json', 'README.md', 'LICENSE', 'dist/index.js', 'dist/index.cjs', 'dist/index.d.ts']

/** What stands in every entry of `exports`. Other keys are conditions that runtimes set. */
const common = ['types', 'import', 'require']

/** What users install with a package. */
const installed = ['dependencies', 'optionalDependencies', 'peerDependencies']

/** A pin would keep a security fix of a dependency from users until our next release. */
function pinsIn(manifest) {
  return installed
    .flatMap((kind) => Object.entries(manifest[kind] ?? {}))
    .filter(([, version]) => /^[=v]?\d+(\.\d+){2}[\w.+-]*$/.test(version))
    .map(([name, version]) => `${name}: expected a range of versions, got ${version}. Write ^${version}.`)
}

/** The manifest as it is read under a condition: what stands there comes in place of the usual files. */
function manifestUnder(condition, manifest) {
  const entries = Object.entries(manifest.exports).map(([door, files]) => {
    if (typeof files === 'string') return [door, files]
    const usual = Object.fromEntries(common.filter((key) => key in files).map((key) => [key, files[key]]))
    return [door, { ...usual, ...files[condition] }]
  })
  return { ...manifest, exports: Object.fromEntries(entries) }
}

/** A tarball for each condition, because attw knows none of them. Conditions that lead to the same files share one. */
function tarballsByCondition(filename, manifest, target) {
  const doors = Object.values(manifest.exports).filter((files) => typeof files !== 'string')
  const conditions = new Set(doors.flatMap((files) => Object.keys(files)).filter((key) => !common.includes(key)))
  const manifests = new Map()
  for (const condition of conditions) {
    const text = JSON.stringify(manifestUnder(condition, manifest), undefined, 2)
    manifests.set(text, [...(manifests.get(text) ?? []), condition])
  }
  return [...manifests].map(([text, names]) => {
    const unpacked = mkdtempSync(join(target, 'condition-'))
    run('tar', ['-xzf', filename, '-C', unpacked])
    writeFileSync(join(unpacked, 'package/package.json'), text)
    const tarball = join(unpacked, 'package.tgz')
    run('tar', ['-czf', tarball, '-C', unpacked, 'package'])
    return { tarball, under: `under ${names.join(', ')}: ` }
  })
}

/** What publint and attw find in a tarball. */
function linted(tarball, under = '') {
  const publint = run('publint', ['run', tarball, '--strict'])
  const types = run('attw', [tarball, '--profile', 'strict', '--no-emoji', '--no-color'])
  return [publint, types].filter((check) => !check.ok).map((check) => under + check.output)
}

function faultsOf(folder, target) {
  const packed = run('pnpm', ['pack', '--json', '--pack-destination', target], folder)
  if (!packed.ok) return [packed.output]
  const { filename } = JSON.parse(packed.stdout)
  const paths = run('tar', ['-tzf', filename]).stdout.match(/(?<=^package\/).+$/gm)
  const manifest = run('tar', ['-xOzf', filename, 'package/package.json']).stdout
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
    ...pinsIn(JSON.parse(manifest)),
    ...linted(filename),
    ...tarballsByCondition(filename, JSON.parse(manifest), target).flatMap(({ tarball, under }) =>
      linted(tarball, under),
    ),
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
