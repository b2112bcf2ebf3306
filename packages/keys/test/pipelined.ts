import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { manualClock } from '@rail/core'
import express from 'express'
import { apiKeys, hashKey, type WhenBlocked } from '../src/index.js'
import { urlOf } from './frameworks.js'

/** The result of an attack with many wrong keys over one connection. */
export interface Attack {
  /** The number of answers with each status. */
  readonly statuses: Readonly<Record<string, number>>
  readonly lookups: number
  /** Status and Retry-After of keys from the same address: one that was found before the attack, and a new one. */
  readonly foundBefore: readonly [number, string | null]
  readonly newKey: readonly [number, string | null]
  /** The new key's, once its Retry-After has passed. */
  readonly later: number
}

/**
 * Sends requests with wrong keys over one TCP connection, none waiting for an answer. No look-up ends before all have
 * arrived.
 */
export async function attack(requests: number, whenBlocked: WhenBlocked): Promise<Attack> {
  const clock = manualClock()
  const valid = new Map([hashKey('key_old'), hashKey('key_new')].map((hash) => [hash, { id: 'acme' }]))
  let lookups = 0
  let release = (): void => {}
  const allArrived = new Promise<void>((resolve) => (release = resolve))
  const keys = apiKeys({
    lookup: async (hash) => {
      lookups++
      if (!valid.has(hash)) await allArrived
      return valid.get(hash) ?? null
    },
    whenBlocked,
    address: () => '203.0.113.7',
    clock,
  })
  const app = express()
  app.use(keys.express, (_req, res) => {
    res.send('ok')
  })
  let arrived = 0
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const get = async (key: string): Promise<[number, string | null]> => {
    const response = await fetch(urlOf(server), { headers: { 'x-api-key': key, connection: 'close' } })
    return [response.status, response.headers.get('retry-after')]
  }
  await get('key_old')
  lookups = 0
  server.on('request', () => {
    if (++arrived === requests) setImmediate(release)
  })
  const socket = connect(Number(new URL(urlOf(server)).port), '127.0.0.1')
  for (let index = 0; index < requests; index++)
    socket.write(`GET / HTTP/1.1\r\nHost: x\r\nX-API-Key: guess_${index}\r\n\r\n`)
  const statuses = await statusesOf(socket, requests)
  const result = { statuses, lookups, foundBefore: await get('key_old'), newKey: await get('key_new') }
  clock.advance(Number(result.newKey[1]) * 1_000)
  const later = (await get('key_new'))[0]
  server.close()
  return { ...result, later }
}

/** Counts the status lines of so many answers, then closes the connection. */
async function statusesOf(socket: Socket, answers: number): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {}
  let rest = ''
  let count = 0
  for await (const chunk of socket) {
    const text = rest + String(chunk)
    const end = text.lastIndexOf('\r\n\r\n') + 1
    rest = text.slice(end)
    for (const [, status = ''] of text.slice(0, end).matchAll(/HTTP\/1\.1 (\d{3})/g)) {
      statuses[status] = (statuses[status] ?? 0) + 1
      count++
    }
    if (count === answers) break
  }
  socket.destroy()
  return statuses
}
