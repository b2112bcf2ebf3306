import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { environment } from './environment.js'
import type { Findings } from './part.js'
import { svgOf } from './svg.js'
import { tableOf } from './tables.js'

const ROOT = new URL('../../', import.meta.url)

const PAGE = 'docs/performance.md'

/**
 * Puts tables and curves into the docs, between the markers `<!-- bench:NAME:start -->` and `<!-- bench:NAME:end -->`, and
 * what the page then says of every part into the README: a run of some parts leaves the others as they were measured.
 */
export function writeDocs(found: Readonly<Record<string, Findings>>, versions: readonly string[]): void {
  const measured = `Measured on ${Object.values(environment()).join(', ')}; ${versions.join(', ')}.`
  for (const [name, { rows, curves }] of Object.entries(found)) {
    put(PAGE, name, `${tableOf(rows)}\n\n${measured}`)
    if (curves !== undefined) writeFileSync(new URL(`docs/performance-${name}.svg`, ROOT), svgOf(curves))
  }
  const page = readFileSync(new URL(PAGE, ROOT), 'utf8')
  const blocks = [...page.matchAll(/<!-- bench:\w+:start -->\n([\s\S]*?)\n<!-- bench:\w+:end -->/g)].map(
    ([, block]) => block as string,
  )
  put('README.md', '', `${[tableOf([]), ...blocks.flatMap(rowsWithGoal)].join('\n')}\n\n${measuredAll(blocks)}`)
}

/** What a reader of the README asks: is it faster than what I have, and how much memory does it take. */
function rowsWithGoal(block: string): string[] {
  return block.split('\n').filter((line) => /^\|[^|]*\|[^|]*\| [≤≥]/.test(line))
}

/** When and with what all of it was measured. */
function measuredAll(blocks: readonly string[]): string {
  const lines = blocks.flatMap((block) => block.split('\n').filter((line) => line.startsWith('Measured on ')))
  const [where, what] = [0, 1].map((half) => {
    const texts = lines.flatMap(
      (line) =>
        line
          .slice('Measured on '.length, -1)
          .split('; ')
          [half]?.split(half === 0 ? '; ' : ', ') ?? [],
    )
    return [...new Set(texts)].toSorted()
  }) as [string[], string[]]
  return `Measured on ${where.join(' and ')}; ${what.join(', ')}.`
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
