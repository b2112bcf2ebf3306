import { perSecond } from '@rail/core'
import { expect, test } from 'vitest'
import { RedisStore, type RedisStoreOptions } from '../src/index.js'

/** What a client answers to EVALSHA; EVAL allows everything. Both are counted. */
function clients(says: Error): readonly (readonly [string, RedisStoreOptions['client'], string[]])[] {
  const calls: string[][] = [[], []]
  const bySha = (of: string[]) => async (): Promise<unknown> => {
    of.push('EVALSHA')
    throw says
  }
  const byText = (of: string[]) => async (): Promise<unknown> => {
    of.push('EVAL')
    return [1, 0, 100]
  }
  const [first, second] = calls as [string[], string[]]
  const ioredis = { enableOfflineQueue: false, autoResendUnfulfilledCommands: false }
  return [
    ['node-redis', { isOpen: true, isReady: true, evalSha: bySha(first), eval: byText(first) } as never, first],
    [
      'ioredis',
      {
        status: 'ready',
        options: ioredis,
        evalsha: bySha(second),
        eval: byText(second),
        connect: async () => {},
      } as never,
      second,
    ],
  ]
}

test.each([
  'ERR the script failed',
  'Socket closed unexpectedly',
  'Command timed out',
  'UNKNOWN NOSCRIPT',
  'LOADING Redis is loading the dataset in memory',
])('a take that fails with "%s" may have run: it is not sent again', async (message) => {
  for (const [name, client, calls] of clients(new Error(message))) {
    const store = new RedisStore({ client })
    await expect(
      async () => store.take([{ key: 'acme', limits: [perSecond(9)], cost: 1 }], 0),
      name,
    ).rejects.toMatchObject({
      code: 'RAIL_STORE_FAILED',
    })
    expect(calls, name).toEqual(['EVALSHA'])
  }
})

test('a take whose script Redis does not know has not run: it is sent once more, with the whole script', async () => {
  for (const [name, client, calls] of clients(new Error('NOSCRIPT No matching script. Please use EVAL.'))) {
    const store = new RedisStore({ client })
    expect(await store.take([{ key: 'acme', limits: [perSecond(9)], cost: 1 }], 0), name).toMatchObject({
      allowed: true,
    })
    expect(calls, name).toEqual(['EVALSHA', 'EVAL'])
  }
})
