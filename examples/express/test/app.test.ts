import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MemoryStore, manualClock } from '@rail/express'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createApp, demoKeys } from '../src/app.js'

const clock = manualClock()
let store: MemoryStore
let server: Server

beforeEach(async () => {
  store = new MemoryStore()
  server = createApp({ store, clock }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  server.close()
  server.closeAllConnections()
})

function ask(path: string, key: string, method = 'GET'): Promise<Response> {
  const { port } = server.address() as AddressInfo
  return fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { authorization: `Bearer ${key}` } })
}

async function statuses(count: number, path: string, key: string, method = 'GET'): Promise<number[]> {
  const seen: number[] = []
  for (let asked = 0; asked < count; asked++) seen.push((await ask(path, key, method)).status)
  return seen
}

const times = (count: number, status: number): number[] => Array<number>(count).fill(status)

it('limits a customer of the free plan to 10 per second, and tells where they stand', async () => {
  const first = await ask('/v1/hello', demoKeys.acme)
  expect(await first.json()).toEqual({ hello: 'acme' })
  expect(first.headers.get('RateLimit')).toBe('"per_second";r=9;t=1, "per_minute";r=299;t=1')
  expect(await statuses(11, '/v1/hello', demoKeys.acme)).toEqual([...times(9, 200), 429, 429])
  expect(await statuses(11, '/v1/hello', demoKeys.globex)).toEqual(times(11, 200))
  clock.advance(1_000)
  expect(await statuses(1, '/v1/hello', demoKeys.acme)).toEqual([200])
})

it('takes 10 for a report', async () => {
  expect(await statuses(2, '/v1/report', demoKeys.acme)).toEqual([200, 429])
})

it('lets the free plan write 20 times a minute', async () => {
  for (let burst = 0; burst < 2; burst++) {
    expect(await statuses(10, '/v1/notes', demoKeys.acme, 'POST')).toEqual(times(10, 201))
    clock.advance(1_000)
  }
  const refused = await ask('/v1/notes', demoKeys.acme, 'POST')
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '1'])
  expect(refused.headers.get('RateLimit')).toContain('"writes.per_minute";r=0;t=1')
})

it('answers unknown keys with 401 before any limiter, and slows down who guesses', async () => {
  const unknown = await ask('/v1/hello', 'guess_0')
  expect([unknown.status, unknown.headers.has('RateLimit')]).toEqual([401, false])
  for (let guess = 1; guess < 10; guess++) expect((await ask('/v1/hello', `guess_${guess}`)).status).toBe(401)
  expect((await ask('/v1/hello', 'guess_10')).status).toBe(429)
})

it('makes no bucket for an unknown key, whether it is refused with 401 or, in the end, with 429', async () => {
  const seen = []
  for (let guess = 0; guess < 15; guess++) seen.push((await ask('/v1/hello', `guess_${guess}`)).status)
  expect([seen, store.size]).toEqual([[...times(10, 401), ...times(5, 429)], 0])
  clock.advance(60_000)
  expect((await ask('/v1/hello', demoKeys.acme)).status).toBe(200)
  // The customer's by their plan, and that of the limit which is only being tried out.
  expect(store.size).toBe(2)
})
