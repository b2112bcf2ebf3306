// Simulated servers: each says what @rail/plans would, at the same times, and keeps nothing but the revision that it has.

import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'

/** What servers are simulated with. */
export interface ServerOptions {
  readonly url: string
  readonly token: string
  /** The customers there are; each report is of so many of them. */
  readonly customers: readonly string[]
  readonly active: number
}

/** A sync, as a server saw it. */
export interface Seen {
  readonly kind: string
  readonly ms: number
  readonly bytes: number
}

/** A simulated server. */
export interface SimulatedServer {
  readonly rev: number
  readonly servers: number
  readonly seen: Seen[]
  /** One exchange. */
  sync(): Promise<void>
  /** Exchanges again and again, as often as the control plane asks for, until it is stopped. */
  run(): void
  stop(): void
}

/** Makes a simulated server. */
export function simulatedServer({ url, token, customers, active }: ServerOptions): SimulatedServer {
  const instance = randomUUID()
  const seen: Seen[] = []
  let [epoch, rev, servers, seq]: [string | undefined, number, number, number] = [undefined, -1, 1, 0]
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let nextSyncMs = 15_000

  function body(): Uint8Array<ArrayBuffer> {
    seq += 1
    const first = Math.floor(Math.random() * customers.length)
    const usage = Array.from({ length: active }, (_, index) => {
      const refused = index % 10 === 0 ? 3 : 0
      return [customers[(first + index) % customers.length], 40, refused, 9, refused ? [['per_second', refused]] : []]
    })
    const report = { seq, lengthMs: 15_000, usage, unknown: [], dropped: 0 }
    const have = epoch === undefined ? undefined : { epoch, rev }
    const request = {
      v: 1,
      sdk: 'bench/1',
      instance,
      host: 'bench',
      pid: 1,
      startedAt: 0,
      source: 'live',
      have,
      servers,
      report,
    }
    return new Uint8Array(gzipSync(JSON.stringify(request), { level: 1 }))
  }

  async function sync(): Promise<void> {
    const sent = body()
    const began = performance.now()
    const response = await fetch(`${url}/v1/sync`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: sent,
    })
    const text = await response.text()
    const ms = performance.now() - began
    const answer = JSON.parse(text) as { kind: string; epoch: string; rev: number; servers: number; nextSyncMs: number }
    seen.push({ kind: answer.kind, ms, bytes: text.length })
    ;({ epoch, rev, servers, nextSyncMs } = answer)
  }

  const later = (ms: number): void => {
    timer = setTimeout(async () => {
      try {
        await sync()
      } catch (error) {
        // The control plane may end during the last request.
        if (!stopped) throw error
      }
      if (!stopped) later(nextSyncMs * (0.8 + 0.2 * Math.random()))
    }, ms)
  }
  return {
    get rev() {
      return rev
    },
    get servers() {
      return servers
    },
    seen,
    sync,
    run: () => later(nextSyncMs * Math.random()),
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}
