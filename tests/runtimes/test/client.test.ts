import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
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

let server: Server
let arrivals: Arrival[]
beforeEach(async () => {
  arrivals = []
  server = createServer(async (request, response) => {
    const [status, headers] = (request.url === '/month' ? undefined : writes[arrivals.length]) ?? [
      429,
      { 'Retry-After': '2592000' },
    ]
    const arrival = { at: performance.now(), path: request.url, key: request.headers['idempotency-key']?.toString() }
    const place = arrivals.push({ ...arrival, body: '' }) - 1
    let body = ''
    for await (const chunk of request) body += chunk
    arrivals[place] = { ...arrival, body }
    response.writeHead(status, headers).end()
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
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const answer = await fetch(`${app.url}/?server=${encodeURIComponent(url)}`)
      expect(await answer.json()).toEqual({ status: 201, limits: [['per_minute', 9]], error: 'RAIL_WAIT_TOO_LONG' })
    } finally {
      await app.stop()
    }
    expect(arrivals.map(({ path, body }) => [path, body])).toEqual([
      ...Array(3).fill(['/writes', 'text']),
      ['/month', ''],
    ])
    const [first, refused, served] = arrivals
    expect(first?.key).toMatch(/^[0-9a-f]{32}$/)
    expect([refused?.key, served?.key]).toEqual([first?.key, first?.key])
    expect((served?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(1_000)
  })
})
