import { type ImportServer, type Seen, startImportServer } from './import-server.js'
import { importers, type Write } from './importers.js'

/** How an import went. */
export interface Imported extends Seen {
  /** Rows that the client gave up. */
  readonly lost: number
  readonly seconds: number
}

/** Imports rows with one client, so many writes at once, against a server of its own. */
export async function importTask({
  client,
  rows,
  atOnce,
}: {
  client: string
  rows: number
  atOnce: number
}): Promise<Imported> {
  const makeWrite = importers[client]
  if (makeWrite === undefined) throw new Error(`there is no client ${client}`)
  // Node compiles what it runs, and connects, only once it is used: that is not the client's doing, and is done before.
  await importInto(await startImportServer(100_000), makeWrite(), 500, atOnce)
  return importInto(await startImportServer(100), makeWrite(), rows, atOnce)
}

async function importInto(server: ImportServer, write: Write, rows: number, atOnce: number): Promise<Imported> {
  let [next, lost] = [0, 0]
  const worker = async (): Promise<void> => {
    while (next < rows) {
      const row = next++
      await write(`${server.url}/rows/${row}`).catch(() => lost++)
    }
  }
  const from = performance.now()
  await Promise.all(Array.from({ length: atOnce }, worker))
  const seconds = (performance.now() - from) / 1_000
  server.close()
  return { ...server.seen(), lost, seconds }
}
