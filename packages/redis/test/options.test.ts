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
  test.each<[what: string, options: unknown, fault: string]>([
    ['of nothing', undefined, 'RAIL_BAD_OPTION: RedisStore: '],
    ['without a client', {}, 'RAIL_BAD_OPTION: RedisStore: expected the option client or the option run, got neither.'],
    ['with a client and run', { client: createClient(), run }, 'RAIL_BAD_OPTION: RedisStore: '],
    ['with an option misspelt', { run, deadlineMS: 5 }, 'RAIL_UNKNOWN_OPTION: deadlineMS: '],
    ['with something else as client', { client: {} }, 'RAIL_BAD_OPTION: client: '],
    ['with a URL as client', { client: 'redis://localhost' }, 'RAIL_BAD_OPTION: client: '],
    ['with null as client', { client: null }, 'RAIL_BAD_OPTION: client: '],
    [
      'with a pool of clients, which would keep a take until one is free',
      { client: createClientPool() },
      'RAIL_BAD_OPTION: client: ',
    ],
    ['with a string as run', { run: 'EVAL' }, 'RAIL_BAD_OPTION: run: '],
    ['with braces in its prefix', { run, prefix: '{rail}:' }, 'RAIL_BAD_OPTION: prefix: '],
    ['with a deadline of 0', { run, deadlineMs: 0 }, 'RAIL_BAD_OPTION: deadlineMs: '],
    ['with a deadline of NaN', { run, deadlineMs: Number.NaN }, 'RAIL_BAD_OPTION: deadlineMs: '],
    ['with a deadline in words', { run, deadlineMs: '50' }, 'RAIL_BAD_OPTION: deadlineMs: '],
    ['with a deadline that overflows a timer', { run, deadlineMs: 2 ** 31 }, 'RAIL_BAD_OPTION: deadlineMs: '],
    ['with a string as tag', { run, tag: 'one' }, 'RAIL_BAD_OPTION: tag: '],
    ['with a string as hashKeys', { run, hashKeys: 'sha256' }, 'RAIL_BAD_OPTION: hashKeys: '],
    ['with a string as onError', { run, onError: 'log' }, 'RAIL_BAD_OPTION: onError: '],
    ['with yes for true', { run, rememberRefusals: 'yes' }, 'RAIL_BAD_OPTION: rememberRefusals: '],
    ['with 1 for true', { run, useGivenTime: 1 }, 'RAIL_BAD_OPTION: useGivenTime: '],
    ['with cluster beside a client', { client: createClient(), cluster: true }, 'RAIL_BAD_OPTION: cluster: '],
  ])('%s', (_, options, fault) => {
    expect(faultOf(options).slice(0, fault.length)).toBe(fault)
  })
})

describe('an ioredis client that may send a take twice is refused, with the options that it needs', () => {
  test.each([
    [{}, '{ enableOfflineQueue: false, autoResendUnfulfilledCommands: false }'],
    [{ enableOfflineQueue: false }, '{ autoResendUnfulfilledCommands: false }'],
    [{ autoResendUnfulfilledCommands: false }, '{ enableOfflineQueue: false }'],
  ])('of one server: %j', (options, needs) => {
    const client = new Redis({ lazyConnect: true, ...options })
    expect(faultOf({ client })).toContain(` with ${needs}.`)
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
    expect(faultOf({ client })).toContain(` with ${needs}.`)
    client.disconnect()
  })
})

test('a client is recognised by its methods, not by its name', () => {
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

test('a store says that several servers count in it', () => {
  expect(new RedisStore({ run }).isShared).toBe(true)
})

test('an empty tag is an error of its request', async () => {
  const store = new RedisStore({ run, tag: () => '' })
  await expect(async () => store.take([{ key: 'acme', limits: [], cost: 1 }], 0)).rejects.toMatchObject({
    code: 'RAIL_BAD_OPTION',
    message: expect.stringMatching(/^tag\(\): /),
  })
})
