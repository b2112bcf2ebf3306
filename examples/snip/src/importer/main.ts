import { readFileSync } from 'node:fs'
import { createClient } from '@rail/client'
import { rowsOf } from './csv.js'
import { importLinks, type Summary } from './import-links.js'
import { Journal } from './journal.js'
import { barFor, estimateFor, report } from './progress.js'

const [file] = process.argv.slice(2)
const { SNIP_URL: url = 'http://localhost:3000', SNIP_KEY: apiKey = 'snip_free_ada' } = process.env
if (file === undefined) {
  console.error('Usage: npm run import -- <file.csv>, with SNIP_URL and SNIP_KEY in the environment')
  process.exit(2)
}

const stop = new AbortController()
process.once('SIGINT', () => stop.abort())

// A server that restarts is away for some seconds: an import can wait for it, and has no one else to disturb.
const client = createClient({ retries: 20, retryReserve: 200 })
const rows = rowsOf(readFileSync(file, 'utf8'))
const journal = new Journal(`${file}.progress`)

const account = await client(`${url}/v1/account`, {
  headers: { Authorization: `Bearer ${apiKey}` },
  signal: stop.signal,
})
if (!account.ok) {
  console.error(`The server answered ${account.status}: ${await account.text()}`)
  process.exit(1)
}
const { plan, writes_per_minute } = (await account.json()) as {
  plan: string
  writes_per_minute: Record<string, number>
}
const toCreate = rows.filter(({ key }) => journal.endingOf(key) === undefined).length
console.log(`${toCreate} links to create on the ${plan} plan: ${estimateFor(toCreate, plan, writes_per_minute)}`)

const from = performance.now()
const bar = (progress: Summary): string => barFor(progress, seconds(), writes_per_minute[plan] ?? 0)
const seconds = (): number => (performance.now() - from) / 1_000
let shownAt = 0
const summary = await importLinks({
  ...{ rows, journal, client, url, apiKey },
  signal: stop.signal,
  onProgress: (progress) => {
    // A terminal is drawn over; a log gets a line now and then.
    const every = process.stderr.isTTY ? 0.1 : 10
    if (seconds() - shownAt < every) return
    shownAt = seconds()
    process.stderr.write(process.stderr.isTTY ? `\r${bar(progress)}\u001b[K` : `${bar(progress)}\n`)
  },
})
if (process.stderr.isTTY) process.stderr.write(`\r${bar(summary)}\u001b[K\n`)
console.log(report(summary, seconds()))
// 130 is what a shell expects of a program that Ctrl-C has stopped.
process.exit(stop.signal.aborted ? 130 : summary.stopped !== undefined || summary.failed > 0 ? 1 : 0)
