import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import {
  localStore,
  manualClock,
  perSecond,
  problem,
  type RailError,
  type RateLimitOptions,
  rateLimit,
} from '@rail/express'
import express from 'express'
import { createClient } from 'redis'
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { RedisStore } from '../../src/index.js'
import { until } from '../support/redis-cluster.js'
import { type RedisServer, startRedisServer } from '../support/redis-server.js'

describe.skipIf(inject('redisPort') === 0)('an API whose Redis is killed', () => {
  let server: RedisServer
  let stop: (() => void)[] = []
  beforeEach(async () => {
    server = await startRedisServer()
  })
  afterEach(async () => {
    for (const end of stop) end()
    stop = []
    await server.stop()
  })

  /** Starts an API. Gives a function that sends a request, and the errors that `onError` got. */
  async function startApi(more: Partial<RateLimitOptions> = {}) {
    const socket = { host: '127.0.0.1', port: server.port, reconnectStrategy: () => 50 }
    const client = createClient({ socket, disableOfflineQueue: true })
    await client.connect()
    const store = new RedisStore({ client })
    const told: RailError[] = []
    const app = express()
    app.use(
      rateLimit({
        identify: () => 'acme',
        limits: [perSecond(10)],
        store,
        onError: (error) => told.push(error as RailError),
        ...more,
      } as RateLimitOptions),
    )
    app.get('/', (_request, response) => response.send('hello'))
    const listener = app.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    stop.push(() => {
      listener.close()
      listener.closeAllConnections()
      store.close()
      client.destroy()
    })
    const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`
    const ask = async () => {
      const response = await fetch(url)
      return {
        status: response.status,
        body: await response.text(),
        field: (name: string) => response.headers.get(name),
      }
    }
    await until(async () => (await ask()).field('RateLimit') ?? undefined)
    return { ask, told }
  }

  async function kill(): Promise<void> {
    server.kill('SIGKILL')
    await once(server.process, 'exit')
  }

  test('lets requests through by default, and claims nothing of what is left', async () => {
    const { ask, told } = await startApi({})
    await kill()
    for (let request = 0; request < 30; request++) {
      const { status, body, field } = await ask()
      expect([status, body, field('RateLimit'), field('RateLimit-Policy')]).toEqual([200, 'hello', null, null])
    }
    expect(told.length).toBeGreaterThan(0)
    expect(told.length).toBeLessThan(30)
    for (const error of told) expect(error.code).toBe('RAIL_STORE_FAILED')
    await server.restart()
    expect(await until(async () => (await ask()).field('RateLimit') ?? undefined)).toMatch(/^"per_second";r=\d;t=1$/)
  })

  test('reports that Redis works again, with the failures that no report had yet', async () => {
    const clock = manualClock()
    const { ask, told } = await startApi({ clock })
    told.length = 0
    clock.advance(1_000)
    await kill()
    for (let request = 0; request < 5; request++) await ask()
    await server.restart()
    await until(async () => (await ask()).field('RateLimit') ?? undefined)
    expect(told).toEqual([
      expect.objectContaining({ code: 'RAIL_STORE_FAILED', count: 1 }),
      expect.objectContaining({ code: 'RAIL_STORE_RECOVERED' }),
    ])
    expect(told[1]?.count).toBeGreaterThanOrEqual(4)
    await ask()
    expect(told).toHaveLength(2)
  })

  test('warns of the failure where there is no onError', async () => {
    const warnings: unknown[] = []
    vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void warnings.push(warning))
    const { ask } = await startApi({ onError: undefined })
    await kill()
    for (let request = 0; request < 5; request++) expect((await ask()).status).toBe(200)
    expect(warnings).toEqual([
      expect.objectContaining({
        code: 'RAIL_STORE_FAILED',
        message: expect.stringMatching(/^store: take\(\) failed.*: Redis/),
      }),
    ])
  })

  test('answers 503 and never 429 with onStoreFailure: refuse, as a problem of reduced capacity', async () => {
    const { ask } = await startApi({ onStoreFailure: 'refuse', onReject: problem() })
    await kill()
    const { status, body, field } = await ask()
    expect([status, field('Retry-After'), field('Content-Type')]).toEqual([503, '1', 'application/problem+json'])
    expect(field('RateLimit')).toBeNull()
    expect(JSON.parse(body)).toMatchObject({
      type: 'https://iana.org/assignments/http-problem-types#temporary-reduced-capacity',
      status: 503,
    })
  })

  test('limits in its own memory with a local store, at its share of the limit', async () => {
    const { ask } = await startApi({ onStoreFailure: localStore({ servers: 4 }), clock: manualClock() })
    await kill()
    const answers = await Promise.all(Array.from({ length: 10 }, ask))
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(3)
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(7)
    expect(answers[0]?.field('RateLimit-Policy')).toBe('"per_second";q=3;w=1')
  })
})
