import { readFileSync } from 'node:fs'
import { createClient } from '@rail/client'
import { rowsOf } from './csv.js'
import { importLinks } from './import-links.js'
import { Journal, journalPathFor } from './journal.js'
import { barFor, estimateFor, progressOn, report } from './progress.js'

const [file] = process.argv.slice(2)
const { SNIP_URL: url = 'http://localhost:3000', SNIP_KEY: apiKey = 'snip_free_ada' } = process.env
if (file === undefined) {
  console.error('Usage: npm run import -- <file.csv>, with SNIP_URL and SNIP_KEY in the environment')
  process.exit(2)
}

// Once: a second Ctrl-C ends it at once, which loses nothing either.
const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())

try {
  process.exitCode = await importFile(file)
} catch (error) {
  const { message, cause } = error as Error & { cause?: Error }
  console.error(stop.signal.aborted ? 'Stopped.' : `${message}${cause === undefined ? '' : `: ${cause.message}`}`)
  process.exitCode = 1
}
// 130 is what a shell expects of a program that Ctrl-C has stopped.
process.exit(stop.signal.aborted ? 130 : undefined)

async function importFile(path: string): Promise<number> {
  const rows = rowsOf(readFileSync(path, 'utf8'))
  const journal = new Journal(journalPathFor(path, url, apiKey))
  const { plan, writes_per_minute } = await askAccount()
  const perMinute = writes_per_minute[plan] ?? 0
  const toCreate = rows.filter(({ key }) => journal.endingOf(key) === undefined).length
  const estimate = estimateFor(toCreate, plan, writes_per_minute)
  console.log(`${toCreate.toLocaleString('en')} links to create on the ${plan} plan: ${estimate}`)

  const from = performance.now()
  const seconds = (): number => (performance.now() - from) / 1_000
  const progress = progressOn(process.stderr, seconds)
  const summary = await importLinks({
    // A server that restarts is away for some seconds: an import can wait for it, and has no one else to disturb.
    client: createClient({ retries: 20, retryReserve: 200 }),
    ...{ rows, journal, url, apiKey },
    signal: stop.signal,
    onProgress: (soFar) => progress.show(() => barFor(soFar, seconds(), perMinute)),
  })
  progress.end(() => barFor(summary, seconds(), perMinute))
  console.log(report(summary, seconds()))
  return summary.stopped !== undefined || summary.failed > 0 ? 1 : 0
}

interface Account {
  readonly plan: string
  readonly writes_per_minute: Readonly<Record<string, number>>
}

async function askAccount(): Promise<Account> {
  const headers = { Authorization: `Bearer ${apiKey}` }
  const response = await createClient()(`${url}/v1/account`, { headers, signal: stop.signal })
  const text = await response.text()
  if (!response.ok) throw new Error(`The server answered ${response.status}: ${text}`)
  return JSON.parse(text) as Account
}
