import { RailError } from '@rail/core'
import { Cluster, Redis } from 'ioredis'
import { createClient, createClientPool } from 'redis'
import { describe, expect, test } from 'vitest'
import { RedisStore, type RedisStoreOptions } from '../src/index.js'

const run = async (): Promise<unknown> => []

/** What making a store says is wrong. */
function faultOf(options: unknown): string {
  try {
    new RedisStore(options as RedisStoreOptions)
  } catch (error) {
    expect(error).toBeInstanceOf(RailError)
    return `${(error as RailError).code}: ${(error as RailError).message}`
  }
  throw new Error('nothing was wrong')
}

describe('a store is not made', () => {
  test.each([
    [
      'of nothing',
      undefined,
      'RAIL_BAD_OPTION: RedisStore takes an object of options, got undefined. Its options: client, run',
    ],
    [
      'without a client',
      {},
      'RAIL_BAD_OPTION: RedisStore needs one of two: the option client, or run for any other client. Give one of them, and not both.',
    ],
    ['with a client and run', { client: createClient(), run }, 'RAIL_BAD_OPTION: RedisStore needs one of two'],
    [
      'with an option misspelt',
      { run, deadlineMS: 5 },
      'RAIL_UNKNOWN_OPTION: RedisStore has no option "deadlineMS". Did you',
    ],
    [
      'with something else as client',
      { client: {} },
      'RAIL_BAD_OPTION: The option client is a client of node-redis or',
    ],
    [
      'with a URL as client',
      { client: 'redis://localhost' },
      'RAIL_BAD_OPTION: The option client is a client of node-redis',
    ],
    [
      'with null as client',
      { client: null },
      'RAIL_BAD_OPTION: The option client is a client of node-redis or ioredis',
    ],
    [
      'with a text as run',
      { run: 'EVAL' },
      'RAIL_BAD_OPTION: The option run is a function, got "EVAL". Give one, or leave it out.',
    ],
    [
      'with braces in its prefix',
      { run, prefix: '{rail}:' },
      'RAIL_BAD_OPTION: The option prefix is a text without braces',
    ],
    [
      'with a deadline of 0',
      { run, deadlineMs: 0 },
      'RAIL_BAD_OPTION: The option deadlineMs is a number of milliseconds',
    ],
    [
      'with a deadline of NaN',
      { run, deadlineMs: Number.NaN },
      'RAIL_BAD_OPTION: The option deadlineMs is a number of',
    ],
    ['with a deadline in words', { run, deadlineMs: '50' }, 'RAIL_BAD_OPTION: The option deadlineMs is a number of'],
    [
      'with a deadline that overflows a timer',
      { run, deadlineMs: 2 ** 31 },
      'RAIL_BAD_OPTION: The option deadlineMs is',
    ],
    [
      'with a text as tag',
      { run, tag: 'one' },
      'RAIL_BAD_OPTION: The option tag is a function, got "one". Give one, or leave it out.',
    ],
    [
      'with yes for true',
      { run, rememberRefusals: 'yes' },
      'RAIL_BAD_OPTION: The option rememberRefusals is true or false',
    ],
    [
      'with 1 for true',
      { run, useGivenTime: 1 },
      'RAIL_BAD_OPTION: The option useGivenTime is true or false, got 1. Give one, or leave it out.',
    ],
    [
      'with cluster beside a client',
      { client: createClient(), cluster: true },
      'RAIL_BAD_OPTION: The option cluster belongs to run; a client is asked itself. Leave it out.',
    ],
  ])('%s', (_, options, fault) => {
    expect(faultOf(options)).toContain(fault)
  })

  test('with a pool of clients, which would keep a take until one is free', () => {
    expect(faultOf({ client: createClientPool() })).toContain('RAIL_BAD_OPTION: The option client is a client of')
  })
})

describe('an ioredis client that would send a take again is refused, with what it needs', () => {
  test.each([
    [{}, '{ enableOfflineQueue: false, autoResendUnfulfilledCommands: false }'],
    [{ enableOfflineQueue: false }, '{ autoResendUnfulfilledCommands: false }'],
    [{ autoResendUnfulfilledCommands: false }, '{ enableOfflineQueue: false }'],
  ])('of one server: %j', (options, needs) => {
    const client = new Redis({ lazyConnect: true, ...options })
    expect(faultOf({ client })).toContain(`Make one for the limiter with ${needs}.`)
    client.disconnect()
  })

  test.each([
    [{}, '{ retryDelayOnFailover: 0 }'],
    [
      { retryDelayOnFailover: 0, clusterNodeRetryStrategy: () => 50 },
      '{ redisOptions: { autoResendUnfulfilledCommands: false } }',
    ],
  ])('of a cluster: %j', (options, needs) => {
    const client = new Cluster([{ host: '127.0.0.1', port: 1 }], { lazyConnect: true, ...options })
    expect(faultOf({ client })).toContain(`Make one for the limiter with ${needs}.`)
    client.disconnect()
  })
})

test('a client is known by what it can, not by its name', () => {
  class A {
    isOpen = true
    isReady = true
    evalSha = run
    eval = run
  }
  class B {
    status = 'ready'
    options = { enableOfflineQueue: false, autoResendUnfulfilledCommands: false }
    evalsha = run
    eval = run
    connect = run
  }
  expect(() => new RedisStore({ client: new A() })).not.toThrow()
  expect(() => new RedisStore({ client: new B() })).not.toThrow()
})

test('a tag that says nothing is an error of its request', async () => {
  const store = new RedisStore({ run, tag: () => '' })
  await expect(async () => store.take([{ key: 'acme', limits: [], cost: 1 }], 0)).rejects.toThrow(
    'What tag(key, scope) returns is a non-empty text, got "". Return one, such as the key.',
  )
})
