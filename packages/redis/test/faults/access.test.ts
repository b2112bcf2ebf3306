import { Cluster as Cluster6, Redis as Redis6 } from 'ioredis'
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis5'
import { createClient as createClient6, createCluster as createCluster6 } from 'redis'
import { createClient as createClient5, createCluster as createCluster5 } from 'redis5'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { RedisStore } from '../../src/index.js'
import type { OpenClient } from '../support/clients.js'
import { startRedisCluster, tell, until } from '../support/redis-cluster.js'
import { type RedisServer, startRedisServer } from '../support/redis-server.js'
import { counted, taken } from '../support/takes.js'

interface Login {
  readonly username?: string
  readonly password?: string
}

const nodeRedis =
  (createClient: typeof createClient6) =>
  (port: number, login: Login, again = true): OpenClient => {
    const socket = { host: '127.0.0.1', port, reconnectStrategy: again && (() => 50) } as const
    const client = createClient({ socket, disableOfflineQueue: true, ...login })
    client.connect().catch(() => {})
    return { client, close: () => client.isOpen && client.destroy() }
  }
const ioredis =
  (Redis: typeof Redis6) =>
  (port: number, login: Login, again = true): OpenClient => {
    const retryStrategy = () => (again ? 50 : null)
    const options = { enableOfflineQueue: false, autoResendUnfulfilledCommands: false, retryStrategy }
    const client = new Redis({ host: '127.0.0.1', port, ...options, ...login })
    return { client, close: () => client.disconnect() }
  }

// Both versions' options are alike; their types are not each other's.
const CLIENTS = [
  { name: 'node-redis 5', open: nodeRedis(createClient5 as unknown as typeof createClient6) },
  { name: 'node-redis 6', open: nodeRedis(createClient6) },
  { name: 'ioredis 5', open: ioredis(Redis5 as unknown as typeof Redis6) },
  { name: 'ioredis 6', open: ioredis(Redis6) },
]

const nodeRedisCluster =
  (createCluster: typeof createCluster6) =>
  (port: number, login: Login): OpenClient => {
    const client = createCluster({
      rootNodes: [{ url: `redis://127.0.0.1:${port}` }],
      defaults: { disableOfflineQueue: true, ...login },
    })
    client.connect().catch(() => {})
    return { client, close: () => client.isOpen && client.destroy() }
  }
const ioredisCluster =
  (Cluster: typeof Cluster6) =>
  (port: number, login: Login): OpenClient => {
    const client = new Cluster([{ host: '127.0.0.1', port }], { retryDelayOnFailover: 0, redisOptions: login })
    return { client, close: () => client.disconnect() }
  }

const CLUSTER_CLIENTS = [
  { name: 'node-redis 5', open: nodeRedisCluster(createCluster5 as unknown as typeof createCluster6) },
  { name: 'node-redis 6', open: nodeRedisCluster(createCluster6) },
  { name: 'ioredis 5', open: ioredisCluster(Cluster5 as unknown as typeof Cluster6) },
  { name: 'ioredis 6', open: ioredisCluster(Cluster6) },
]

/** As the documentation has it. */
const PERMISSIONS = ['~rail:*', '+get', '+set', '+del', '+eval', '+evalsha', '+time']

describe.skipIf(inject('redisPort') === 0).each(CLIENTS)('with $name', ({ open }) => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedisServer()
    await tell(server, 'ACL', 'SETUSER', 'api', 'on', '>secret')
  })
  afterAll(() => server.stop())

  /** Makes a store that has this login, waits until `ready` finds what it wants, and returns that. */
  async function withLogin<T>(
    login: Login,
    ready: (store: RedisStore) => Promise<T | undefined>,
    again = true,
  ): Promise<T> {
    // ioredis prints that a user without +info cannot ask whether Redis is loading.
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { client, close } = open(server.port, login, again)
    const store = new RedisStore({ client, deadlineMs: 60_000 })
    try {
      return await until(() => ready(store))
    } finally {
      store.close()
      close()
    }
  }

  /** What a user without one of the permissions is told when everything has been tried. */
  async function failuresWithout(missing: string | undefined): Promise<string[]> {
    const allowed = PERMISSIONS.filter((permission) => permission !== missing)
    await tell(server, 'FLUSHALL')
    await tell(server, 'SCRIPT', 'FLUSH')
    await tell(server, 'ACL', 'SETUSER', 'api', 'resetkeys', 'nocommands', ...allowed)
    return withLogin({ username: 'api', password: 'secret' }, async (store) => {
      const first = await taken(store)
      if ('message' in first && /not connected|not open/.test(first.message)) return undefined
      const reset = await store.reset('acme').catch((error: Error) => error)
      const all = [first, await taken(store), reset]
      if (missing === undefined) expect(await counted(store)).toBe(1)
      return all.flatMap((result) => (result !== undefined && 'message' in result ? [result.message] : []))
    })
  }

  test('a user with the documented permissions, and no others, can do everything', async () => {
    expect(await failuresWithout(undefined)).toEqual([])
  })

  test.each(PERMISSIONS)('a user without %s is told so, and what to allow', async (missing) => {
    const [message, ...more] = await failuresWithout(missing)
    const named = missing.startsWith('~') ? /one of the keys/ : new RegExp(`\\b${missing.slice(1)}\\b.*\\. Allow`, 'i')
    expect(message).toMatch(named)
    expect(message).toContain(`Allow the Redis user ~rail:* (the prefix) ${PERMISSIONS.slice(1).join(' ')}.`)
    for (const other of more) expect(other).toBe(message)
  })

  /** The failures of takes until one has the pattern, and of two more when that has had its effect. */
  async function failuresWith(login: Login, pattern: RegExp, again: boolean): Promise<string[]> {
    const failures: string[] = []
    const take = async (store: RedisStore): Promise<string> => {
      const failure = await taken(store)
      return 'message' in failure ? failure.message : ''
    }
    return withLogin(
      login,
      async (store) => {
        const message = await take(store)
        if (!pattern.test(message)) return undefined
        failures.push(message)
        // Redis, or the client, may close the connection then.
        await until(async () => (await take(store)).startsWith('Redis: expected a usable connection') || undefined)
        failures.push(await take(store), await take(store))
        return failures
      },
      again,
    )
  }

  test.each([
    ['tries again', true],
    ['gives up', false],
  ])('a wrong password is in the failures of a client that %s', async (_, again) => {
    for (const message of await failuresWith({ username: 'api', password: 'wrong' }, /WRONGPASS/, again)) {
      expect(message).toMatch(
        /^Redis: expected a usable connection, got none: its client .*its latest error: WRONGPASS.*\)\. Correct the client's username and password\.$/,
      )
    }
  })

  test.each([
    ['tries again', true],
    ['gives up', false],
  ])('a missing password is in the failures of a client that %s', async (_, again) => {
    await tell(server, 'CONFIG', 'SET', 'requirepass', 'secret')
    try {
      for (const message of await failuresWith({}, /NOAUTH/, again)) {
        expect(message).toMatch(
          /^Redis: expected a (usable connection|reply), got .*(NOAUTH|unauthenticated).*\. Redis wants a login \(NOAUTH\): give the client a password\.$/,
        )
      }
    } finally {
      await tell(server, 'AUTH', 'secret')
      await tell(server, 'CONFIG', 'SET', 'requirepass', '')
    }
  })

  test('an error of an earlier connection is not in the failure of a later one', async () => {
    const { client, close } = open(server.port, { username: 'api', password: 'late' })
    const store = new RedisStore({ client, deadlineMs: 60_000 })
    await until(async () => ((await taken(store)) as Error).message?.includes('WRONGPASS') || undefined)
    await tell(server, 'ACL', 'SETUSER', 'api', '>late', '~*', '+@all')
    await until(async () => 'allowed' in (await taken(store)) || undefined)
    close()
    expect((await taken(store)) as Error).toMatchObject({ message: expect.not.stringContaining('WRONGPASS') })
    store.close()
  })
})

describe.skipIf(inject('redisPort') === 0)('in a cluster', () => {
  let cluster: Awaited<ReturnType<typeof startRedisCluster>>
  beforeAll(async () => {
    cluster = await startRedisCluster()
    for (const node of cluster.nodes) {
      await tell(node, 'ACL', 'SETUSER', 'api', 'on', '>secret', ...PERMISSIONS, '+cluster')
    }
  })
  afterAll(() => cluster.stop())

  test.each(CLUSTER_CLIENTS)('the same permissions and +cluster are enough, with $name', async ({ open }) => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { client, close } = open(cluster.port, { username: 'api', password: 'secret' })
    const store = new RedisStore({ client, deadlineMs: 60_000 })
    for (const key of ['a', 'b', 'c', 'd', 'e']) {
      await until(async () => 'allowed' in (await taken(store, key)) || undefined)
      await store.reset(key)
    }
    store.close()
    close()
  })

  test.each(CLUSTER_CLIENTS)('a wrong password is in the failure, with $name', async ({ open }) => {
    const { client, close } = open(cluster.port, { username: 'api', password: 'wrong' })
    const store = new RedisStore({ client, deadlineMs: 60_000 })
    await until(async () => {
      const failure = await taken(store, 'a')
      return ('message' in failure && failure.message.includes('WRONGPASS')) || undefined
    })
    store.close()
    close()
  })
})
