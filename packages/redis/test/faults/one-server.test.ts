import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { RailError } from '@rail/core'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { RedisStore } from '../../src/index.js'
import { CLIENTS, type OpenClient } from '../support/clients.js'
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.js'
import { tell, until } from '../support/redis-cluster.js'
import { type RedisServer, startRedisServer } from '../support/redis-server.js'
import { counted, isSettledWithin, mayBeCounted, taken, takenAtLast } from '../support/takes.js'

const DEADLINE_MS = 50

describe.skipIf(inject('redisPort') === 0).each(CLIENTS)('with $name', ({ open }) => {
  let server: RedisServer
  let proxy: FaultProxy
  let opened: OpenClient
  /** As a user has it. */
  let store: RedisStore
  /** Waits for a slow machine. */
  let patient: RedisStore
  /** Sees what Redis holds, past the proxy. */
  let witness: RedisStore
  let direct: OpenClient

  beforeEach(async () => {
    server = await startRedisServer()
    proxy = await startFaultProxy(server.port)
    opened = await open(proxy.port)
    store = new RedisStore({ client: opened.client, deadlineMs: DEADLINE_MS })
    patient = new RedisStore({ client: opened.client, deadlineMs: 60_000 })
    direct = await open(server.port)
    witness = new RedisStore({ client: direct.client, deadlineMs: 60_000 })
    await taken(patient)
  })

  afterEach(async () => {
    store.close()
    patient.close()
    witness.close()
    opened.close()
    direct.close()
    await proxy.close()
    await server.stop()
  })

  /** Takes one by one while something is broken: all fail by the deadline, the time of a pause once more, and 20 ms. */
  async function allFail(count = 12): Promise<RailError[]> {
    const failures: RailError[] = []
    for (let request = 0; request < count; request++) {
      const take = taken(store)
      expect(await isSettledWithin([DEADLINE_MS, DEADLINE_MS, 20], take)).toBe(true)
      failures.push((await take) as RailError)
    }
    for (const failure of failures) expect(failure).toMatchObject({ code: 'RAIL_STORE_FAILED' })
    return failures
  }

  /** After the repair: takes are answered again, and each was counted once at most, or not at all if it was not sent. */
  async function recovers(failures: readonly RailError[]): Promise<void> {
    const unheard = [...failures, ...(await takenAtLast(store))].filter(mayBeCounted).length
    const count = await counted(witness)
    expect(count).toBeGreaterThanOrEqual(2)
    expect(count).toBeLessThanOrEqual(2 + unheard)
  }

  test('a server that stands still (SIGSTOP) holds up no request past its deadline', async () => {
    server.kill('SIGSTOP')
    const failures = await allFail()
    expect(failures[0]?.message).toMatch(/^Redis: expected a reply within 50 ms, got none\./)
    expect(failures.at(-1)?.message).toMatch(/^Redis: .* it failed 5 times in a row/)
    server.kill('SIGCONT')
    await recovers(failures)
  })

  test('a server that is killed and comes back is used again', async () => {
    server.kill('SIGKILL')
    await once(server.process, 'exit')
    await allFail()
    await server.restart()
    const unheard = (await takenAtLast(store)).filter(mayBeCounted).length
    expect(await until(() => counted(witness))).toBeLessThanOrEqual(1 + unheard)
  })

  test('a script that Redis has forgotten is sent once more, and counted once', async () => {
    for (let round = 0; round < 3; round++) {
      await tell(server, 'SCRIPT', 'FLUSH')
      expect(await taken(patient)).toMatchObject({ allowed: true })
    }
    expect(await counted(patient)).toBe(4)
  })

  test('after FLUSHALL buckets are full, and nothing fails', async () => {
    await tell(server, 'FLUSHALL')
    expect(await counted(patient)).toBe(0)
    expect(await taken(patient)).toMatchObject({ allowed: true })
    expect(await counted(patient)).toBe(1)
  })

  test('a server out of memory fails each take at once, and takes none', async () => {
    await tell(server, 'CONFIG', 'SET', 'maxmemory', '1')
    for (let request = 0; request < 8; request++) {
      expect((await taken(patient)) as RailError).toMatchObject({
        code: 'RAIL_STORE_FAILED',
        message: expect.stringMatching(/^Redis script: .* OOM command not allowed .*[^.] \(SET\)\.$/),
      })
    }
    await tell(server, 'CONFIG', 'SET', 'maxmemory', '0')
    expect(await taken(patient)).toMatchObject({ allowed: true })
    expect(await counted(patient)).toBe(2)
  })

  test('a master that has become a replica fails each take, counts none, and gets no more commands', async () => {
    await tell(server, 'REPLICAOF', '127.0.0.1', '1')
    for (let request = 0; request < 5; request++) {
      expect(await taken(patient)).toMatchObject({
        code: 'RAIL_STORE_FAILED',
        message: expect.stringMatching(/^Redis: expected a reply, got an error: .*READONLY/),
      })
    }
    expect(await taken(patient)).toMatchObject({ message: expect.stringMatching(/^Redis: .* it failed 5/) })
    await tell(server, 'REPLICAOF', 'NO', 'ONE')
    await takenAtLast(patient)
    expect(await counted(witness)).toBe(2)
  })

  test('answers that come later than the deadline are let go, each counted once', async () => {
    proxy.latencyMs = 4 * DEADLINE_MS
    const failures = await allFail(4)
    await until(async () => (await counted(witness)) > failures.length || undefined)
    proxy.latencyMs = 0
    await recovers(failures)
  })

  test('a network that swallows everything holds up no request past its deadline, and nothing is counted', async () => {
    proxy.mode = 'blackhole'
    await allFail()
    proxy.mode = 'pass'
    await proxy.resetUntilBack()
    await takenAtLast(patient)
    expect(await counted(witness)).toBe(2)
  })

  test('takes whose answers are lost with the connection are not sent again', async () => {
    proxy.mode = 'mute'
    const failures = await allFail(4)
    await until(async () => (await counted(witness)) === 1 + failures.length || undefined)
    proxy.mode = 'pass'
    await proxy.resetUntilBack()
    await takenAtLast(patient)
    expect(await counted(witness)).toBe(1 + failures.length + 1)
  })

  test('a take whose connection is reset before its deadline is not sent again', async () => {
    proxy.mode = 'mute'
    const take = taken(patient)
    await until(async () => (await counted(witness)) === 2 || undefined)
    proxy.mode = 'pass'
    await proxy.resetUntilBack()
    await takenAtLast(patient)
    expect(await counted(witness)).toBe(3)
    patient.close()
    expect(await take).toMatchObject({ code: 'RAIL_STORE_FAILED' })
  })

  test('a server that refuses connections fails each take at once, and is used again when it listens', async () => {
    await proxy.refuse()
    const failures = await allFail()
    expect(failures.at(-1)?.message).toMatch(/^Redis: expected a usable connection/)
    await proxy.listen()
    await recovers(failures)
  })

  test('an answer that came while the process stood still is heard, though the deadline has passed', async () => {
    const past = new RedisStore({ client: direct.client, deadlineMs: DEADLINE_MS })
    const heard = taken(past, 'heard')
    // Two turns: one sends, and some clients write in the next.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    const asked = ['-p', String(server.port), 'EXISTS', 'rail:{heard}']
    const still = performance.now() + 2 * DEADLINE_MS
    while (performance.now() < still || !execFileSync('redis-cli', asked, { encoding: 'utf8' }).startsWith('1'));
    expect(await heard).toMatchObject({ allowed: true })
    past.close()
  })

  test('after close() everything fails at once, what is under way too', async () => {
    proxy.mode = 'blackhole'
    const takes = [taken(patient), taken(patient)]
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    takes.push(taken(patient))
    patient.close()
    takes.push(taken(patient))
    for (const failure of await Promise.all(takes)) {
      expect(failure).toBeInstanceOf(RailError)
      expect(failure).toMatchObject({
        code: 'RAIL_STORE_FAILED',
        message: expect.stringMatching(/^RedisStore: .* closed/),
      })
    }
  })
})

test.skipIf(inject('redisPort') === 0)(
  'ioredis hears of a master that has become a replica, and may connect anew',
  async () => {
    const server = await startRedisServer()
    const heard: string[] = []
    const client = new Redis({
      host: '127.0.0.1',
      port: server.port,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      reconnectOnError: (error) => {
        heard.push(error.message)
        return error.message.startsWith('READONLY')
      },
    })
    client.on('error', () => {})
    await once(client, 'ready')
    const store = new RedisStore({ client, deadlineMs: 60_000 })
    await taken(store)
    await tell(server, 'REPLICAOF', '127.0.0.1', '1')
    const reconnecting = once(client, 'reconnecting')
    expect(await taken(store)).toMatchObject({ code: 'RAIL_STORE_FAILED' })
    await reconnecting
    expect(heard.at(-1)).toMatch(/^READONLY/)
    store.close()
    client.disconnect()
    await server.stop()
  },
)
