// Compiles every ts and js code block of README.md, docs/ and the packages' READMEs against the workspace, then runs it.
// A block has to end by itself within 20 seconds. A block with `no-run` on its fence is only compiled.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { build } from 'vite'
import { env, finish, markdownFiles, root, run } from './workspace.mjs'

/** The code blocks of a file. Empty lines in front keep the line numbers, so an error names the line of the Markdown. */
function blocksOf(file) {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/^( *)```(ts|js)\b([^\n]*)\n(.*?)^ *```/gms)].map((match) => {
    const [, indent, type, flags, code] = match
    const line = text.slice(0, match.index).split('\n').length
    return {
      where: `${file}:${line}`,
      name: `${file.replaceAll(/\W+/g, '-')}-${line}.${type}`,
      code: '\n'.repeat(line) + code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      run: !/\bno-run\b/.test(flags),
    }
  })
}

/** Bundles the blocks with the workspace's sources, so that none has to compile them again when it starts. */
async function bundle(blocks, folder) {
  await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    ssr: {
      noExternal: /^@rail\//,
      resolve: { conditions: ['@rail/source', 'module', 'node', 'development|production'] },
    },
    build: {
      ssr: true,
      sourcemap: true,
      outDir: 'built',
      minify: false,
      target: 'node20',
      rollupOptions: {
        // The compiler reports these, and names the block.
        shimMissingExports: true,
        input: Object.fromEntries(blocks.map(({ name }) => [name, join(folder, name)])),
      },
    },
  })
}

/** Runs a block in a process of its own. Resolves with what is wrong with it, or undefined. */
function faultOf(block, folder) {
  return new Promise((resolve) => {
    // Without --single-threaded, Node 20 sometimes hangs at exit while it optimises in another thread (nodejs/node#54918).
    const args = ['--single-threaded', '--enable-source-maps', join('built', `${block.name}.js`)]
    const child = spawn(process.execPath, args, { cwd: folder, env })
    let output = ''
    child.stdout.on('data', (data) => (output += data))
    child.stderr.on('data', (data) => (output += data))
    const timer = setTimeout(() => {
      output +=
        'Expected it to end within 20 seconds, got no end. A block that starts a server needs `no-run` on its fence.'
      child.kill('SIGKILL')
    }, 20_000)
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve(code === 0 ? undefined : `${block.where}: ${output}`)
    })
  })
}

const files = markdownFiles().filter((file) => /^(README\.md|docs\/.*|packages\/[^/]+\/README\.md)$/.test(file))
const blocks = files.flatMap(blocksOf)
mkdirSync(join(root, 'docs/.blocks'), { recursive: true })
const folder = mkdtempSync(join(root, 'docs/.blocks/run-'))
try {
  for (const { name, code } of blocks) writeFileSync(join(folder, name), code)
  const config = {
    extends: '../../../tsconfig.base.json',
    compilerOptions: { allowJs: true, checkJs: true },
    include: ['*.ts', '*.js'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const faults = []
  if (blocks.length > 0) {
    const compiled = run('tsc', ['-p', relative(root, folder)])
    if (!compiled.ok) faults.push(compiled.output)
  }
  const waiting = blocks.filter((block) => block.run)
  const unbundled = await bundle(waiting, folder).then(() => undefined, String)
  if (unbundled !== undefined) {
    faults.push(`${unbundled}\nNo block was run.`)
    waiting.length = 0
  }
  const worker = async () => {
    for (let block = waiting.shift(); block; block = waiting.shift()) {
      const fault = await faultOf(block, folder)
      if (fault) faults.push(fault)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
  finish(`${blocks.length} code blocks`, faults)
} finally {
  rmSync(folder, { recursive: true })
}
