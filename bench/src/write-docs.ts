import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { environment } from './environment.js'
import type { Row } from './goal.js'
import type { Findings } from './part.js'
import { svgOf } from './svg.js'
import { tableOf } from './tables.js'

const ROOT = new URL('../../', import.meta.url)

/** Puts tables and curves into the docs, between the markers `<!-- bench:NAME:start -->` and `<!-- bench:NAME:end -->`. */
export function writeDocs(found: Readonly<Record<string, Findings>>, versions: readonly string[]): void {
  const measured = `Measured on ${Object.values(environment()).join(', ')}; ${versions.join(', ')}.`
  for (const [name, { rows, curves }] of Object.entries(found)) {
    put('docs/performance.md', name, `${tableOf(rows)}\n\n${measured}`)
    if (curves !== undefined) writeFileSync(new URL(`docs/performance-${name}.svg`, ROOT), svgOf(curves))
  }
  const shown = Object.values(found).flatMap(({ rows }) => rows.filter(isForReadme))
  if (shown.length > 0) put('README.md', '', `${tableOf(shown)}\n\n${measured}`)
}

/** What a reader of the README asks: is it faster than what I have, and how much memory does it take. */
function isForReadme({ goal }: Row): boolean {
  return goal !== undefined
}

function put(file: string, name: string, text: string): void {
  const url = new URL(file, ROOT)
  if (!existsSync(url)) return
  const marker = name === '' ? 'bench' : `bench:${name}`
  const [start, end] = [`<!-- ${marker}:start -->`, `<!-- ${marker}:end -->`]
  const before = readFileSync(url, 'utf8')
  const [from, to] = [before.indexOf(start), before.indexOf(end)]
  if (from === -1 || to < from) return
  writeFileSync(url, `${before.slice(0, from + start.length)}\n${text}\n${before.slice(to)}`)
}
