import { type Client, ClientError } from '@rail/client'
import type { Row } from './csv.js'
import type { Ending, Journal } from './journal.js'

/** What an import needs. */
export interface Import {
  readonly rows: readonly Row[]
  readonly journal: Journal
  readonly client: Client
  /** Where the API is, such as `http://localhost:3000`. */
  readonly url: string
  readonly apiKey: string
  /** Stops the import: what is on its way is broken off, and done again by the next run. */
  readonly signal: AbortSignal
  readonly onProgress?: (summary: Summary) => void
}

/** How an import went, or goes. */
export interface Summary {
  readonly total: number
  /** Created by this run. */
  readonly created: number
  /** Done by earlier runs. */
  readonly before: number
  /** Refused for good, such as for a slug that is taken: by line, with the reason. */
  readonly rejected: readonly { readonly line: number; readonly reason: string }[]
  /** Not done, though it was tried: the next run tries again. */
  readonly failed: number
  /** Why it ended before the last row; `undefined`: it did not. */
  readonly stopped: string | undefined
}

/** So many calls wait at once. The client holds them back; more than fit into the time of one answer are of no use. */
const AT_ONCE = 8
/** Statuses that are the row's own fault: it would be refused again. */
const REJECTED: readonly number[] = [400, 409, 422]
/** After so many failures in a row it stops: the server is away, and all rows would fail. */
const MOST_FAILURES = 10

/** Creates a link for each row that an earlier run has not, each exactly once. Never throws for what a server does. */
export async function importLinks({
  rows,
  journal,
  client,
  url,
  apiKey,
  signal,
  onProgress,
}: Import): Promise<Summary> {
  const left = rows.filter(({ key }) => journal.endingOf(key) === undefined)
  const before = rows.length - left.length
  const rejected: { line: number; reason: string }[] = []
  const counts = { created: 0, failed: 0, failuresInARow: 0 }
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  let stopped: string | undefined

  const summary = (): Summary => ({
    total: rows.length,
    created: counts.created,
    before,
    rejected: rejected.toSorted((a, b) => a.line - b.line),
    failed: counts.failed,
    stopped,
  })

  function end(reason: string): void {
    stopped ??= reason
    stop.abort()
  }

  async function create(row: Row): Promise<void> {
    const response = await client(`${url}/v1/links`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json', 'Idempotency-Key': row.key },
      body: row.body,
      signal: either,
    })
    const { status } = response
    if (status === 201) {
      counts.created++
      done(row, 'created')
      await response.body?.cancel().catch(() => {})
    } else if (REJECTED.includes(status)) {
      rejected.push({ line: row.line, reason: await reasonOf(response) })
      done(row, 'rejected')
    } else if (status === 408 || status === 429 || status >= 500) {
      fail(`The server answered ${status}.`)
    } else {
      end(status === 401 ? 'The API key is not known.' : `Line ${row.line} was answered ${status}.`)
    }
  }

  function done(row: Row, ending: Ending): void {
    counts.failuresInARow = 0
    journal.add(row.key, ending)
  }

  function fail(reason: string): void {
    counts.failed++
    if (++counts.failuresInARow >= MOST_FAILURES) end(`${reason} The last ${MOST_FAILURES} rows failed.`)
  }

  async function worker(): Promise<void> {
    for (let row = left.shift(); row !== undefined && !either.aborted; row = left.shift()) {
      try {
        await create(row)
      } catch (error) {
        if (either.aborted) return
        if (error instanceof ClientError) end(error.message)
        else fail(`The server cannot be reached: ${messageOf(error)}.`)
      }
      onProgress?.(summary())
    }
  }

  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  if (signal.aborted) stopped = 'Stopped.'
  return summary()
}

async function reasonOf(response: Response): Promise<string> {
  const problem = (await response.json().catch(() => ({}))) as { detail?: unknown }
  return typeof problem.detail === 'string' ? problem.detail : `The server answered ${response.status}.`
}

function messageOf(error: unknown): string {
  const { cause, message } = error as { cause?: { message?: string }; message: string }
  return cause?.message ?? message
}
