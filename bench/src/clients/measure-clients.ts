import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Imported } from './import-task.js'
import { importers } from './importers.js'

const run = promisify(execFile)
const CHILD = fileURLToPath(new URL('import-child.ts', import.meta.url))
const [ROWS, PER_SECOND, BURST, AT_ONCE] = [2_000, 100, 100, 32] as const

/** One client's import, beside the best that any client could do. */
export interface ImportRow extends Imported {
  readonly client: string
  readonly idealSeconds: number
}

/**
 * The importer: 2,000 writes, 32 at once, against a limit of 100 a second, one in twenty answered 503. Each client has a
 * process and a server of its own; three run at a time, so that a busy machine is busy for all.
 */
export async function measureClients(): Promise<readonly ImportRow[]> {
  const names = Object.keys(importers)
  const rows: ImportRow[] = []
  for (let first = 0; first < names.length; first += 3) {
    rows.push(...(await Promise.all(names.slice(first, first + 3).map(importWith))))
  }
  return rows
}

async function importWith(client: string): Promise<ImportRow> {
  const args = [...process.execArgv, CHILD, client, String(ROWS), String(AT_ONCE)]
  const { stdout } = await run(process.execPath, args)
  const imported = JSON.parse(stdout) as Imported
  // What the server counts has to wait for a token each, but for the first burst.
  return { ...imported, client, idealSeconds: (ROWS + imported.failed - BURST) / PER_SECOND }
}

/** The rows as a table in Markdown. */
export function clientsTable(rows: readonly ImportRow[]): string {
  const lines = rows.map(({ client, refused, duplicates, lost, seconds, idealSeconds }) =>
    [
      `${client} ${versionOf(client)}`.trim(),
      refused,
      duplicates,
      lost,
      `${seconds.toFixed(1)} s`,
      `${percent(seconds / idealSeconds - 1)} %`,
    ].join(' | '),
  )
  return [
    '| client | 429s received | writes carried out twice | writes given up | time | over the ideal |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    ...lines.map((line) => `| ${line} |`),
  ].join('\n')
}

function percent(part: number): string {
  return (part * 100).toFixed(0)
}

function versionOf(client: string): string {
  const name = { 'undici RetryAgent': 'undici', 'p-retry + fetch': 'p-retry' }[client] ?? client
  if (name.startsWith('@rail/')) return ''
  const manifest = new URL(`../../node_modules/${name}/package.json`, import.meta.url)
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
}
