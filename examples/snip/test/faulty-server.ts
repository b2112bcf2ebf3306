import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { createApp } from '../src/server/app.js'
import { type Db, openDatabase } from '../src/server/database.js'
import { fastPlans } from './fast-plans.js'
import { linksIn } from './links-file.js'

/** What becomes of a request: it is served, or lost before or after the work, by a 503 or a broken connection. */
type Fate = 'served' | '503 before' | '503 after' | 'reset before' | 'reset after'

/** Snip on a real socket and a real file, with faults as often as is asked for. */
export class FaultyServer {
  readonly folder = mkdtempSync(join(tmpdir(), 'snip-'))
  readonly fates: Record<Fate, number> = {
    served: 0,
    '503 before': 0,
    '503 after': 0,
    'reset before': 0,
    'reset after': 0,
  }
  refused = 0
  requests = 0
  /** Called with the number of requests so far, before each. */
  onRequest: (requests: number) => void = () => {}
  readonly #faults: number
  readonly #random = seeded()
  #port = 0
  #db: Db | undefined
  #app: FastifyInstance | undefined
  #server: Server | undefined
  readonly #working = new Set<Promise<void>>()

  /** @param faults The part of requests that are lost. */
  constructor(faults: number) {
    this.#faults = faults
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  async start(): Promise<void> {
    this.#db = openDatabase(join(this.folder, 'snip.db'))
    this.#app = await createApp({ db: this.#db, plans: fastPlans })
    const server = createServer((req, res) => {
      const working = this.#serve(req, res).finally(() => this.#working.delete(working))
      this.#working.add(working)
    })
    this.#server = server
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (server.address() as AddressInfo).port
  }

  /** Breaks all connections, and answers no more. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve))
    this.#server?.closeAllConnections()
    await closed
    await Promise.allSettled(this.#working)
    await this.#app?.close()
    this.#db?.close()
  }

  async remove(): Promise<void> {
    await this.stop()
    rmSync(this.folder, { recursive: true })
  }

  /** All URLs that there are links for, with how many. */
  links(): Map<string, number> {
    return this.#db === undefined ? new Map() : linksIn(this.#db)
  }

  /** How many links there are. */
  count(): number {
    return [...this.links().values()].reduce((sum, links) => sum + links, 0)
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    this.onRequest(++this.requests)
    const fate = this.#fate()
    this.fates[fate]++
    if (fate === 'reset before') return void req.socket.destroy()
    if (fate === '503 before') return void res.writeHead(503).end()
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const { method, url, headers } = req
    const answer = await this.#app?.inject({
      method: method as 'GET',
      url: url as string,
      headers,
      payload: Buffer.concat(chunks),
    })
    if (fate === 'reset after') return void req.socket.destroy()
    if (fate === '503 after') return void res.writeHead(503).end()
    if (answer?.statusCode === 429) this.refused++
    res.writeHead(answer?.statusCode ?? 500, answer?.headers).end(answer?.rawPayload)
  }

  #fate(): Fate {
    if (this.#random() >= this.#faults) return 'served'
    const kinds: Fate[] = ['503 before', '503 after', 'reset before', 'reset after']
    return kinds[Math.floor(this.#random() * kinds.length)] as Fate
  }
}

/** The same numbers from 0 to 1 in every run (mulberry32). */
function seeded(): () => number {
  let state = 1
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
