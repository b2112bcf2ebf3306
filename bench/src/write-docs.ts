import { readFileSync, writeFileSync } from 'node:fs'
import { environment } from './environment.js'
import { numbersOf } from './numbers.js'
import type { Findings } from './part.js'
import { svgOf } from './svg.js'
import { tableOf } from './tables.js'

const ROOT = new URL('../../', import.meta.url)

/** Where the whole table of each part is written. */
const RESULTS = 'bench/RESULTS.md'

/** Where the rows that have a goal are written, those of all parts in one table. */
const PAGE = 'docs/performance.md'

/** Where five numbers are written. */
const README = 'README.md'

/**
 * Writes tables and curves into the Markdown, between the markers `<!-- bench:NAME:start -->` and `<!-- bench:NAME:end -->`.
 * A run of some parts leaves the tables of the others as they were measured. The table of goals and the numbers of the
 * README are made of all of them.
 *
 * @throws Error where a page has no such markers, or a row of the README is missing: what is written nowhere would go unnoticed
 */
export function writeDocs(found: Readonly<Record<string, Findings>>, versions: readonly string[]): void {
  const measured = `Measured on ${Object.values(environment()).join(', ')}; ${versions.join(', ')}.`
  for (const [name, { rows, curves }] of Object.entries(found)) {
    put(RESULTS, name, `${tableOf(rows)}\n\n${measured}`)
    if (curves !== undefined) writeFileSync(new URL(`docs/performance-${name}.svg`, ROOT), svgOf(curves))
  }
  const results = readFileSync(new URL(RESULTS, ROOT), 'utf8')
  const blocks = [...results.matchAll(/<!-- bench:\w+:start -->\n([\s\S]*?)\n<!-- bench:\w+:end -->/g)].map(
    ([, block]) => block as string,
  )
  put(PAGE, 'goals', [tableOf([]), ...blocks.flatMap(rowsWithGoal)].join('\n'))
  put(README, 'numbers', `${numbersOf(results.split('\n'))}\n\n${measured}`)
}

/** The rows of a table that have a goal. */
function rowsWithGoal(block: string): string[] {
  return block.split('\n').filter((line) => /^\|[^|]*\|[^|]*\| [≤≥]/.test(line))
}

function put(file: string, name: string, text: string): void {
  const url = new URL(file, ROOT)
  const [start, end] = [`<!-- bench:${name}:start -->`, `<!-- bench:${name}:end -->`]
  const before = readFileSync(url, 'utf8')
  const [from, to] = [before.indexOf(start), before.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`${file} has no lines ${start} and ${end}.`)
  writeFileSync(url, `${before.slice(0, from + start.length)}\n${text}\n${before.slice(to)}`)
}
