import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Imported } from '../clients/import-task.js'
import { importers } from '../clients/importers.js'
import { atMost, type Row } from '../goal.js'
import type { Part } from '../part.js'

const run = promisify(execFile)
const CHILD = fileURLToPath(new URL('../clients/import-child.ts', import.meta.url))
const OURS = '@rail/client'
const [PER_SECOND, BURST, AT_ONCE] = [100, 100, 32] as const

/** One client's import, and the best that any client could do. */
interface Import extends Imported {
  readonly client: string
  readonly idealSeconds: number
}

/**
 * The importer: 2,000 writes, 32 at once, against a limit of 100 a second, one in twenty answered 503. Each client has a
 * process and a server of its own; two run at a time.
 */
export const clientsPart: Part = async ({ short, say }) => {
  const names = Object.keys(importers)
  const rows = short ? 1_000 : 2_000
  const imports: Import[] = []
  for (let first = 0; first < names.length; first += 2) {
    const pair = names.slice(first, first + 2)
    say(`imports with ${pair.join(' and ')}`)
    imports.push(...(await Promise.all(pair.map((client) => importWith(client, rows)))))
  }
  const packages = ['axios', 'axios-retry', 'got', 'ky', 'p-retry', 'undici']
  return { title: `Clients: an import of ${rows} writes against 100 a second`, rows: imports.flatMap(rowsOf), packages }
}

async function importWith(client: string, rows: number): Promise<Import> {
  const args = [...process.execArgv, CHILD, client, String(rows), String(AT_ONCE)]
  const { stdout } = await run(process.execPath, args)
  const imported = JSON.parse(stdout) as Imported
  // What the server counts has to wait for a token each, but for the first burst.
  return { ...imported, client, idealSeconds: (rows + imported.failed - BURST) / PER_SECOND }
}

function rowsOf({ client, refused, duplicates, lost, seconds, idealSeconds }: Import): Row[] {
  const isOurs = client === OURS
  const time: Row = {
    what: `${client}: time`,
    against: 'the ideal',
    rounds: [seconds / idealSeconds],
    ...(isOurs ? { goal: atMost(1.05, 2) } : {}),
    note: `${seconds.toFixed(1)} s${lost === 0 ? '' : `, ${lost} writes given up`}`,
  }
  const counts: readonly (readonly [string, number])[] = [
    ['429s received', refused],
    ['writes carried out twice', duplicates],
  ]
  return [
    time,
    ...counts.map(
      ([what, count]): Row => ({
        what: `${client}: ${what}`,
        against: '',
        rounds: [count],
        unit: 'count',
        ...(isOurs ? { goal: atMost(0, what === '429s received' ? 20 : 0) } : {}),
      }),
    ),
  ]
}
