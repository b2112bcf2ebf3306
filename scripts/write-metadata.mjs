// Writes what every public package says about the project: the metadata of its package.json, and the links of its README,
// which are absolute because npm does not resolve relative ones. Run it after a change of scripts/project.mjs and for each
// new package. `--check` writes nothing and fails where a file differs. `--publish` does the same, and refuses a placeholder.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { isPlaceholder, REPOSITORY } from './project.mjs'
import { finish, root } from './workspace.mjs'

const AUTHOR = 'The Rail authors'

/** The keywords of every package, before its own. A package without any gets its folder's name. */
const KEYWORDS = ['rate-limit', 'rate-limiter', 'rate-limiting', 'throttle', 'api']
const OWN_KEYWORDS = {
  client: ['fetch', 'retry', 'retry-after', 'backoff', '429'],
  conformance: ['testing', 'vitest'],
  control: ['control-plane', 'plans', 'quota', 'cli'],
  core: ['token-bucket', 'ratelimit-headers', 'retry-after'],
  express: ['express', 'middleware'],
  fastify: ['fastify', 'fastify-plugin'],
  hono: ['hono', 'middleware', 'edge', 'cloudflare-workers'],
  keys: ['api-key', 'authentication', 'brute-force'],
  koa: ['koa', 'middleware'],
  plans: ['yaml', 'overrides', 'quota'],
  redis: ['redis', 'token-bucket', 'distributed', 'lua'],
}

/** The metadata of a package, in the order in which it stands before `license`. */
function metadataOf(folder) {
  return {
    keywords: [...KEYWORDS, ...(OWN_KEYWORDS[folder] ?? [folder])],
    homepage: `${REPOSITORY}/tree/main/packages/${folder}#readme`,
    bugs: { url: `${REPOSITORY}/issues` },
    repository: { type: 'git', url: `git+${REPOSITORY}.git`, directory: `packages/${folder}` },
  }
}

/** The text of a package.json. What is written anew keeps its place, except the metadata, which stands around `license`. */
function manifestFor(folder, manifest) {
  const { name, version, description, license, keywords, homepage, bugs, repository, author, ...others } = manifest
  const { exports, publishConfig = {} } = others
  const written = {
    name,
    version,
    description,
    ...metadataOf(folder),
    license,
    author: AUTHOR,
    ...others,
    exports: withManifest(exports),
    publishConfig: {
      access: 'public',
      provenance: true,
      ...publishConfig,
      ...(publishConfig.exports && { exports: withManifest(publishConfig.exports) }),
    },
  }
  return `${JSON.stringify(written, undefined, 2)}\n`
}

/** Tools read a package's version from its package.json, which `exports` would hide from them. */
const withManifest = (exports) => ({ ...exports, './package.json': './package.json' })

/** The text of a README with absolute links. `previous` is the address that an earlier run may have given them. */
function readmeFor(folder, text, previous) {
  // Code comes first, so that nothing in it is taken for a link.
  const links = /^ *(?:```|~~~).*?^ *(?:```|~~~)|`[^`\n]*`|(\]\(<?|^ *\[[^\]\n]+\]: *<?)([^)\s>]+)/gms
  return text.replaceAll(links, (whole, before, link) => {
    const path = link && pathIn(folder, link, previous)
    return path === undefined ? whole : before + addressOf(path)
  })
}

/** The path from the root that a link points to, with its anchor; undefined for a link that leaves the repository. */
function pathIn(folder, link, previous) {
  for (const start of [REPOSITORY, previous].flatMap((address) => [`${address}/blob/main/`, `${address}/tree/main/`])) {
    if (link.startsWith(start)) return link.slice(start.length)
  }
  if (/^([a-z][a-z+.-]*:|\/\/|#)/i.test(link)) return undefined
  const [path, anchor] = link.split('#')
  return relative(root, join(root, 'packages', folder, path)) + (anchor === undefined ? '' : `#${anchor}`)
}

function addressOf(path) {
  const target = join(root, decodeURIComponent(path.replace(/#.*/, '')))
  const isFolder = existsSync(target) && statSync(target).isDirectory()
  return `${REPOSITORY}/${isFolder ? 'tree' : 'blob'}/main/${path}`
}

const writes = !process.argv.includes('--check') && !process.argv.includes('--publish')
const faults = []

function put(path, now, wanted) {
  if (now === wanted) return
  if (writes) writeFileSync(join(root, path), wanted)
  else faults.push(`${path}: expected what scripts/write-metadata.mjs writes. Run that script.`)
}

if (process.argv.includes('--publish') && isPlaceholder(REPOSITORY)) {
  faults.push(`REPOSITORY: expected the project's address, got ${REPOSITORY}. Write it in scripts/project.mjs.`)
}
const folders = readdirSync(join(root, 'packages')).filter((folder) =>
  existsSync(join(root, 'packages', folder, 'package.json')),
)
for (const folder of folders) {
  const path = `packages/${folder}/package.json`
  const now = readFileSync(join(root, path), 'utf8')
  const manifest = JSON.parse(now)
  if (manifest.private) continue
  const previous = manifest.repository?.url.replace(/^git\+|\.git$/g, '') ?? REPOSITORY
  put(path, now, manifestFor(folder, manifest))
  const readme = `packages/${folder}/README.md`
  const text = readFileSync(join(root, readme), 'utf8')
  put(readme, text, readmeFor(folder, text, previous))
}
finish('metadata', faults)
