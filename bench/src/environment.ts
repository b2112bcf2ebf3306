import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus } from 'node:os'
import { dirname, join } from 'node:path'

/** Where and when this was measured. */
export function environment(): Readonly<Record<'date' | 'node' | 'machine', string>> {
  const [cpu] = cpus()
  return {
    date: new Date().toISOString().slice(0, 10),
    node: `Node ${process.versions.node}`,
    machine: `${cpus().length} × ${cpu?.model.trim() ?? process.arch}`,
  }
}

/** `name version` of each package, once. */
export function versionsOf(packages: readonly string[]): string[] {
  return [...new Set(packages)].sort().map((name) => `${name} ${versionOf(name)}`)
}

const { resolve } = createRequire(import.meta.url)

/** Read from the file: many packages do not export their package.json. */
function versionOf(name: string): string {
  for (let folder = dirname(resolve(name)); folder !== dirname(folder); folder = dirname(folder)) {
    try {
      const found = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        name?: string
        version?: string
      }
      if (found.name === name && found.version !== undefined) return found.version
    } catch {
      // No package.json here: one folder up.
    }
  }
  return 'of unknown version'
}
