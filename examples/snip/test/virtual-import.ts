import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@rail/client'
import type { FastifyInstance } from 'fastify'
import { rowsOf } from '../src/importer/csv.js'
import { importLinks, type Summary } from '../src/importer/import-links.js'
import { Journal } from '../src/importer/journal.js'
import { createApp } from '../src/server/app.js'
import { openDatabase } from '../src/server/database.js'
import { VirtualTime } from './virtual-time.js'

/** How an import went, in virtual time. */
export interface Imported {
  readonly summary: Summary
  readonly minutes: number
  /** How many requests were answered with each status. */
  readonly statuses: Readonly<Record<number, number>>
  /** How many links there are, and to how many URLs. */
  readonly links: { readonly all: number; readonly urls: number }
}

/** Imports so many links under Snip's real limits, with the real client and server, in virtual time: hours take a moment. */
export async function importInVirtualTime(count: number, apiKey: string): Promise<Imported> {
  const folder = mkdtempSync(join(tmpdir(), 'snip-'))
  const time = new VirtualTime()
  const { clock, timer } = time
  const db = openDatabase(':memory:')
  const app = await createApp({ db, clock })
  const statuses: Record<number, number> = {}
  const lines = Array.from({ length: count }, (_, index) => `https://example.org/${index},\n`)
  try {
    const importing = importLinks({
      rows: rowsOf(`url,slug\n${lines.join('')}`),
      journal: new Journal(join(folder, 'progress')),
      client: createClient({ fetch: fetchOf(app, time, statuses), clock, timer }),
      url: 'http://snip.test',
      apiKey,
      signal: new AbortController().signal,
    })
    const summary = await time.until(importing)
    const [links] = db.prepare('SELECT count(*) AS "all", count(DISTINCT url) AS urls FROM links').all()
    return { summary, minutes: time.now / 60_000, statuses, links: links as Imported['links'] }
  } finally {
    await app.close()
    db.close()
    rmSync(folder, { recursive: true })
  }
}

/** The service as a `fetch`, without sockets, which know no virtual time. */
function fetchOf(app: FastifyInstance, time: VirtualTime, statuses: Record<number, number>) {
  return (url: unknown, init: RequestInit = {}): Promise<Response> =>
    time.atOnce(async () => {
      const headers = Object.fromEntries(new Headers(init.headers))
      const answer = await app.inject({ method: 'POST', url: String(url), headers, payload: String(init.body) })
      statuses[answer.statusCode] = (statuses[answer.statusCode] ?? 0) + 1
      const fields = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)])
      return new Response(answer.body, { status: answer.statusCode, headers: fields })
    })
}
