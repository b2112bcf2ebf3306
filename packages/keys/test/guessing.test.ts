import { once } from 'node:events'
import { request as httpRequest, type Server } from 'node:http'
import { manualClock } from '@rail/core'
import { afterEach, describe, expect, test } from 'vitest'
import { apiKeys, hashKey } from '../src/index.js'
import { type Customer, frameworks, type Options, urlOf } from './frameworks.js'
import { attack } from './pipelined.js'

const valid = new Map([hashKey('key_old'), hashKey('key_new')].map((hash) => [hash, { id: 'acme' }]))

describe.each(Object.entries(frameworks))('in %s', (_name, start) => {
  const servers: Server[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close()
  })

  async function serve(options: Options) {
    const server = await start(options)
    servers.push(server)
    return server
  }

  async function get(server: Server, key: string, address = '192.0.2.1') {
    const headers = { 'x-api-key': key, 'x-address': address, connection: 'close' }
    const response = await fetch(urlOf(server), { headers })
    return [response.status, response.headers.get('retry-after')]
  }

  test('a valid key in keys passes, however much its address has guessed; guesses are refused', async () => {
    const server = await serve({ keys: Object.fromEntries(valid), clock: manualClock() })
    for (let guess = 0; guess < 10; guess++) expect(await get(server, `guess_${guess}`)).toEqual([401, null])
    expect(await get(server, 'guess_10')).toEqual([429, '6'])
    expect(await get(server, 'key_new')).toEqual([200, null])
  })

  test('an address that guesses is refused before its next key is looked up, but for keys found lately', async () => {
    const lookups: string[] = []
    const clock = manualClock()
    const lookup = (hash: string) => {
      lookups.push(hash)
      return valid.get(hash) ?? null
    }
    const server = await serve({ lookup, clock })
    expect(await get(server, 'key_old')).toEqual([200, null])
    for (let guess = 0; guess < 10; guess++) expect(await get(server, `guess_${guess}`)).toEqual([401, null])
    expect(await get(server, 'key_new')).toEqual([429, '6'])
    expect(lookups).toHaveLength(11)
    expect(await get(server, 'key_old')).toEqual([200, null])
    expect(await get(server, 'key_new', '192.0.2.2')).toEqual([200, null])
    // Found lately, from whatever address.
    expect(await get(server, 'key_new')).toEqual([200, null])
    clock.advance(5_999)
    expect(await get(server, 'guess_10')).toEqual([429, '1'])
    clock.advance(1)
    expect(await get(server, 'guess_10')).toEqual([401, null])
  })

  test("with whenBlocked: 'lookup' a new key passes, and guesses are refused after their look-up", async () => {
    let lookups = 0
    const lookup = (hash: string) => {
      lookups++
      return valid.get(hash) ?? null
    }
    const server = await serve({ lookup, whenBlocked: 'lookup', clock: manualClock() })
    for (let guess = 0; guess < 10; guess++) await get(server, `guess_${guess}`)
    expect(await get(server, 'guess_10')).toEqual([429, '6'])
    expect(await get(server, 'key_new')).toEqual([200, null])
    expect(lookups).toBe(12)
  })

  test('100 requests with one key are one look-up', async () => {
    let lookups = 0
    let release = (): void => {}
    const allArrived = new Promise<void>((resolve) => (release = resolve))
    const server = await serve({
      lookup: async (hash) => {
        lookups++
        await allArrived
        return valid.get(hash) ?? null
      },
    })
    let arrived = 0
    server.on('request', () => {
      if (++arrived === 100) setImmediate(release)
    })
    const answers = await Promise.all(Array.from({ length: 100 }, () => get(server, 'key_new')))
    expect([new Set(answers.map(([status]) => status)), lookups]).toEqual([new Set([200]), 1])
  })

  test('the first of two Authorization lines counts', async () => {
    const server = await serve({ keys: Object.fromEntries(valid), clock: manualClock() })
    const statusOf = async (...authorization: string[]) => {
      const lines = authorization.flatMap((value) => ['Authorization', value])
      const headers = ['Host', 'localhost', 'X-Address', '192.0.2.1', ...lines]
      const request = httpRequest(urlOf(server), { headers, agent: false })
      const [response] = await once(request.end(), 'response')
      response.resume()
      return response.statusCode
    }
    expect([
      await statusOf('Bearer key_new', 'Bearer guess'),
      await statusOf('Bearer guess', 'Bearer key_new'),
      await statusOf('Basic YTpi', 'Bearer key_new'),
      await statusOf('Bearer key_new', 'Basic YTpi'),
    ]).toEqual([200, 401, 401, 200])
  })
})

test.each([
  ['refuse', 10, [429, '6']],
  ['lookup', 500, [200, null]],
] as const)(
  '500 wrong keys over one connection, whenBlocked: %j: %d look-ups',
  async (whenBlocked, lookups, newKey) => {
    expect(await attack(500, whenBlocked)).toEqual({
      statuses: { 401: 10, 429: 490 },
      lookups,
      foundBefore: [200, null],
      newKey,
      later: 200,
    })
  },
)

describe('in a simulated hour with a wrong key each 6 seconds', () => {
  test.each([
    ['refuse', 'key_old', 3_600],
    ['lookup', 'key_new', 3_600],
  ] as const)('and whenBlocked: %j, %s is never refused', (whenBlocked, key, expected) => {
    const clock = manualClock()
    const known = apiKeys<Customer>({
      lookup: (hash) => valid.get(hash) ?? null,
      address: () => '192.0.2.1',
      whenBlocked,
      clock,
    })
    const isAllowed = (name: string) => {
      const checked = known.check({ headers: { 'x-api-key': name } }) as { identity?: Customer }
      return checked.identity !== undefined
    }
    isAllowed('key_old')
    for (let guess = 0; guess < 10; guess++) isAllowed(`guess_${guess}`)
    let allowed = 0
    for (let second = 0; second < 3_600; second++) {
      if (second % 6 === 0) isAllowed(`guess_at_${second}`)
      if (isAllowed(key)) allowed++
      clock.advance(1_000)
    }
    expect(allowed).toBe(expected)
  })
})
