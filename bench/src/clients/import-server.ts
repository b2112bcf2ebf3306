import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLimiter, type Outcome, perSecond } from '@rail/core'

/** What a server saw of an import. */
export interface Seen {
  readonly requests: number
  readonly refused: number
  readonly failed: number
  /** Writes that were carried out, and how many of them had been before. */
  readonly written: number
  readonly duplicates: number
}

/** A server for one importer: so many writes a second, by a Rail bucket; a request in twenty is answered 503. */
export interface ImportServer {
  readonly url: string
  readonly seen: () => Seen
  readonly close: () => void
}

/** The part of requests that fail, half of them after the write was carried out: only the answer is lost. */
const FAILING = 0.05

export async function startImportServer(writesPerSecond: number): Promise<ImportServer> {
  const limiter = createLimiter<object>({ identify: () => 'importer', limits: [perSecond(writesPerSecond)] })
  const random = fixedRandom()
  const known = new Set<string>()
  const writes = new Map<string, number>()
  const seen = { requests: 0, refused: 0, failed: 0 }

  const write = (id: string, key: string | undefined): void => {
    // The server knows idempotency keys: a write whose key it has seen is not carried out again.
    if (key !== undefined && known.has(key)) return
    if (key !== undefined) known.add(key)
    writes.set(id, (writes.get(id) ?? 0) + 1)
  }

  const server = createServer((req, res) => {
    seen.requests++
    const { headers, refusal } = limiter.take(req) as Outcome
    for (const { name, value } of headers) res.setHeader(name, value)
    req.resume()
    if (refusal !== undefined) {
      seen.refused++
      return answer(res, refusal.status, refusal.body)
    }
    const fate = random()
    const key = req.headers['idempotency-key']?.toString()
    if (fate >= FAILING / 2) write(req.url as string, key)
    if (fate >= FAILING) return answer(res, 201, '{}')
    seen.failed++
    return answer(res, 503, '{"error":"unavailable"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    seen: () => {
      const written = writes.size
      const carriedOut = Array.from(writes.values()).reduce((sum, times) => sum + times, 0)
      return { ...seen, written, duplicates: carriedOut - written }
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

function answer(res: ServerResponse, status: number, body: string): void {
  res.writeHead(status, { 'Content-Type': 'application/json' }).end(body)
}

/** The same numbers from 0 to 1 for every client (mulberry32). */
function fixedRandom(): () => number {
  let state = 1
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
