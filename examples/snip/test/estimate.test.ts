import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@rail/client'
import type { FastifyInstance } from 'fastify'
import { expect, it } from 'vitest'
import { rowsOf } from '../src/importer/csv.js'
import { importLinks } from '../src/importer/import-links.js'
import { Journal } from '../src/importer/journal.js'
import { createApp } from '../src/server/app.js'
import { openDatabase } from '../src/server/database.js'
import { VirtualTime } from './virtual-time.js'

/** How many links. SNIP_LINKS=40000 for the file of the README takes some minutes, though no hours. */
const COUNT = Number(process.env.SNIP_LINKS ?? 1_000)

/** The service as a `fetch`, without sockets, which know no virtual time. */
function fetchOf(app: FastifyInstance, time: VirtualTime, statuses: number[]) {
  return (url: unknown, init: RequestInit = {}): Promise<Response> =>
    time.atOnce(async () => {
      const headers = Object.fromEntries(new Headers(init.headers))
      const answer = await app.inject({ method: 'POST', url: String(url), headers, payload: String(init.body) })
      statuses.push(answer.statusCode)
      const fields = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)])
      return new Response(answer.body, { status: answer.statusCode, headers: fields })
    })
}

it.each([
  ['free', 'snip_free_ada', 100, 20],
  ['pro', 'snip_pro_grace', 1_000, 200],
] as const)(
  'an import on the plan %s takes as long as was told before it began, and is never refused',
  async (_plan, apiKey, perMinute, atOnce) => {
    const folder = mkdtempSync(join(tmpdir(), 'snip-'))
    const time = new VirtualTime()
    const { clock, timer } = time
    const db = openDatabase(':memory:')
    const app = await createApp({ db, clock })
    const lines = Array.from({ length: COUNT }, (_, index) => `https://example.org/${index},\n`)
    const statuses: number[] = []
    const importing = importLinks({
      rows: rowsOf(`url,slug\n${lines.join('')}`),
      journal: new Journal(join(folder, 'progress')),
      client: createClient({ fetch: fetchOf(app, time, statuses), clock, timer }),
      url: 'http://snip.test',
      apiKey,
      signal: new AbortController().signal,
    })
    const summary = await time.until(importing)
    await app.close()
    db.close()
    rmSync(folder, { recursive: true })

    expect(summary).toMatchObject({ created: COUNT, failed: 0, stopped: undefined })
    expect(statuses.filter((status) => status !== 201)).toEqual([])
    const minutes = time.now / 60_000
    if (process.env.SNIP_LINKS !== undefined) console.log(`${COUNT} links at ${perMinute} a minute: ${minutes} minutes`)
    // Nobody can be faster: all but the first burst wait for their tokens.
    expect(minutes).toBeGreaterThanOrEqual(((COUNT - atOnce) / perMinute) * 0.99)
    expect(minutes).toBeLessThan((COUNT / perMinute) * 1.05)
  },
  60_000 + COUNT * 30,
)
