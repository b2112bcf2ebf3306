import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { perHour, type RailError, rateLimit } from '@rail/express'
import express from 'express'
import { Redis } from 'ioredis'
import { createClient as createClient6 } from 'redis'
import { createClient as createClient5 } from 'redis5'
import { describe, expect, inject, test } from 'vitest'
import { RedisStore } from '../../src/index.js'
import { CLIENTS, type OpenClient } from '../support/clients.js'

const port = inject('redisPort')

function block(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

/** Long enough for a Redis that shares a busy machine, and shorter than any stall of this process here. */
const deadlineMs = 300
let stores = 0
const storeOf = ({ client }: OpenClient): RedisStore =>
  new RedisStore({ client, deadlineMs, prefix: `stalls-${++stores}:` })

/** As it comes. A take that waits in the queue must not fail by a timeout of the client's. */
const withQueue = (createClient: typeof createClient6) => async (): Promise<OpenClient> => {
  const client = createClient({ socket: { host: '127.0.0.1', port } })
  await client.connect()
  return { client, close: () => client.destroy() }
}

const LATE_WRITERS = [
  // Both versions' options are alike; their types are not each other's.
  { name: 'node-redis 5, with its offline queue', open: withQueue(createClient5 as unknown as typeof createClient6) },
  { name: 'node-redis 6, with its offline queue', open: withQueue(createClient6) },
  {
    name: 'ioredis 6, with auto-pipelining',
    open: async (): Promise<OpenClient> => {
      const options = { enableOfflineQueue: false, autoResendUnfulfilledCommands: false, enableAutoPipelining: true }
      const client = new Redis({ host: '127.0.0.1', port, ...options })
      await once(client, 'ready')
      return { client, close: () => client.disconnect() }
    },
  },
]

describe.skipIf(port === 0).each([...CLIENTS, ...LATE_WRITERS])('a process that is busy, with $name', ({ open }) => {
  test('waits for the reply to a take that its client could not write before', async () => {
    const opened = await open(port)
    const store = storeOf(opened)
    const charges = [{ key: 'acme', limits: [perHour(1)], cost: 1 }]
    await store.take(charges, 0)
    for (let round = 0; round < 3; round++) {
      const decision = store.take(charges, 0)
      await null
      setImmediate(() => block(deadlineMs + 2))
      expect(await decision).toMatchObject({ allowed: false })
    }
    store.close()
    opened.close()
  })

  test('allows over HTTP exactly the limit, and reports nothing', async () => {
    const opened = await open(port)
    const store = storeOf(opened)
    const errors: RailError[] = []
    const app = express()
    app.use(
      rateLimit({
        identify: (request) => request.get('customer') ?? null,
        limits: (customer) => [perHour(customer === 'acme' ? 4 : 10_000)],
        store,
        onError: (error) => errors.push(error as RailError),
      }),
    )
    app.get('/busy', (_request, response) => {
      block(deadlineMs + 50)
      response.send('ok')
    })
    app.get('/', (_request, response) => response.send('ok'))
    const listener = app.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`
    const ask = async (path: string, customer: string): Promise<number> => {
      const response = await fetch(url + path, { headers: { customer } })
      await response.text()
      return response.status
    }
    const allowed: number[] = []
    for (let round = 0; round < 3; round++) {
      const busy = [ask('busy', 'zeta'), ask('busy', 'zeta')]
      const small = await Promise.all(Array.from({ length: 12 }, () => ask('', 'acme')))
      allowed.push(...small.filter((status) => status === 200))
      expect(await Promise.all(busy)).toEqual([200, 200])
    }
    expect(errors.map((error) => error.message)).toEqual([])
    expect(allowed).toHaveLength(4)
    listener.close()
    listener.closeAllConnections()
    store.close()
    opened.close()
  })
})
