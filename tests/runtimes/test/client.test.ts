import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { askInBrowser } from './browser.js'
import { runtimes } from './runtimes.js'

interface Arrival {
  readonly at: number
  readonly path: string | undefined
  readonly key: string | undefined
  readonly body: string
}

/** Fails once, refuses once for a second, serves the third; what is asked for at `/month` is refused for 30 days. */
const writes: readonly (readonly [number, Record<string, string>])[] = [
  [503, {}],
  [429, { 'Retry-After': '1' }],
  [201, { RateLimit: '"per_minute";r=9;t=6', 'RateLimit-Policy': '"per_minute";q=10;w=60' }],
]

/** What a page of another origin needs to be let in, and to read what it is told. */
const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': 'Idempotency-Key',
  'Access-Control-Expose-Headers': 'Retry-After, RateLimit, RateLimit-Policy, Date',
}

let server: Server
let arrivals: Arrival[]
beforeEach(async () => {
  arrivals = []
  server = createServer(async (request, response) => {
    if (request.method === 'OPTIONS') {
      response.writeHead(204, CORS).end()
      return
    }
    const [status, headers] = (request.url === '/month' ? undefined : writes[arrivals.length]) ?? [
      429,
      { 'Retry-After': '2592000' },
    ]
    const arrival = { at: performance.now(), path: request.url, key: request.headers['idempotency-key']?.toString() }
    const place = arrivals.push({ ...arrival, body: '' }) - 1
    let body = ''
    for await (const chunk of request) body += chunk
    arrivals[place] = { ...arrival, body }
    response.writeHead(status, { ...headers, ...CORS }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

describe('@rail/client', () => {
  test.each(Object.entries(runtimes))('keeps its promises on %s', async (_name, start) => {
    const app = await start('client')
    try {
      await keepsItsPromises(async (origin) => {
        const answer = await fetch(`${app.url}/?server=${encodeURIComponent(origin)}`)
        return answer.json()
      })
    } finally {
      await app.stop()
    }
  })

  test('keeps its promises in a browser', () => keepsItsPromises(askInBrowser))

  /** `ask` has the app talk to the server at an origin, and gives what the app says of it. */
  async function keepsItsPromises(ask: (origin: string) => Promise<unknown>): Promise<void> {
    const said = await ask(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    expect(said).toEqual({ status: 201, limits: [['per_minute', 9]], error: 'RAIL_WAIT_TOO_LONG' })
    expect(arrivals.map(({ path, body }) => [path, body])).toEqual([
      ...Array(3).fill(['/writes', 'text']),
      ['/month', ''],
    ])
    const [first, refused, served] = arrivals
    expect(first?.key).toMatch(/^[0-9a-f]{32}$/)
    expect([refused?.key, served?.key]).toEqual([first?.key, first?.key])
    expect((served?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(1_000)
  }
})
