import { once } from 'node:events'
import { perMinute, perSecond } from '@rail/core'
import { RedisStore } from '@rail/redis'
import { Redis } from 'ioredis'
import { RedisStore as ExpressRedisStore, type RedisReply } from 'rate-limit-redis'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { createClient } from 'redis5'
import type { Work } from './load.js'

/** A client, and the work it can do. */
export interface Client<Name extends string> {
  readonly works: Readonly<Record<Name, Work>>
  info(): Promise<string>
  close(): void
}

const LIMITS = [perSecond(10), perMinute(300)]
const CUSTOMERS = 1_000
// Made anew for each request, as a header's parser does.
const keyOf = (request: number): string => `customer-${request % CUSTOMERS}`

function take(store: RedisStore, request: number): PromiseLike<unknown> {
  return Promise.resolve(store.take([{ key: keyOf(request), limits: LIMITS, cost: 1 }], 0))
}

/** A store for each request in the air: each sends a script of its own, and what pipelines them is the client. */
function apart(make: () => RedisStore, concurrency: number): Work {
  const stores = Array.from({ length: concurrency }, make)
  return (request) => take(stores[request % concurrency] as RedisStore, request)
}

/** The least that a script can do that counts: it reads a key, and writes it with an expiry. */
const LEAST = `
local found = redis.call('GET', KEYS[1])
redis.call('SET', KEYS[1], ARGV[1], 'PX', 60000)
return found`

export type IoredisWork =
  | 'PING'
  | 'GET'
  | 'least script'
  | 'rail'
  | 'rail, a script each'
  | 'rate-limiter-flexible'
  | 'rate-limit-redis'

/** ioredis 6, each contestant on the one connection. */
export async function ioredisClient(port: number, concurrency: number): Promise<Client<IoredisWork>> {
  const options = { enableOfflineQueue: false, autoResendUnfulfilledCommands: false }
  const client = new Redis(port, '127.0.0.1', options)
  await once(client, 'ready')
  client.defineCommand('least', { numberOfKeys: 1, lua: LEAST })
  const scripted = client as typeof client & { least(key: string, value: string): Promise<unknown> }
  const make = (): RedisStore => new RedisStore({ client, deadlineMs: 10_000 })
  const rail = make()
  const flexible = new RateLimiterRedis({ storeClient: client, points: 1e9, duration: 60, keyPrefix: 'flexible' })
  const express = new ExpressRedisStore({
    sendCommand: (command: string, ...args: string[]) => client.call(command, ...args) as Promise<RedisReply>,
  })
  express.init({ windowMs: 60_000 } as Parameters<typeof express.init>[0])
  return {
    works: {
      PING: () => client.ping(),
      GET: (request) => client.get(keyOf(request)),
      'least script': (request) => scripted.least(`least-${keyOf(request)}`, String(request)),
      rail: (request) => take(rail, request),
      'rail, a script each': apart(make, concurrency),
      'rate-limiter-flexible': (request) => flexible.consume(keyOf(request)),
      'rate-limit-redis': (request) => express.increment(keyOf(request)),
    },
    info: () => client.info('commandstats'),
    close: () => client.disconnect(),
  }
}

/** node-redis 5, the fastest client at pipelining. */
export async function nodeRedisClient(
  port: number,
  concurrency: number,
): Promise<Client<'PING' | 'rail' | 'rail, a script each' | 'rate-limiter-flexible'>> {
  const client = createClient({ socket: { host: '127.0.0.1', port }, disableOfflineQueue: true })
  await client.connect()
  const make = (): RedisStore => new RedisStore({ client, deadlineMs: 10_000 })
  const rail = make()
  const flexible = new RateLimiterRedis({
    storeClient: client,
    useRedisPackage: true,
    points: 1e9,
    duration: 60,
    keyPrefix: 'flexible',
  })
  return {
    works: {
      PING: () => client.ping(),
      rail: (request) => take(rail, request),
      'rail, a script each': apart(make, concurrency),
      'rate-limiter-flexible': (request) => flexible.consume(keyOf(request)),
    },
    info: () => client.info('commandstats'),
    close: () => client.destroy(),
  }
}
