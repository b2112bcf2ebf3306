import { type Charge, perHour, RailError } from '@rail/core'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { RedisStore, type RedisStoreOptions } from '../../src/index.js'

const port = inject('redisPort')

describe.skipIf(port === 0)('a value at a bucket’s key that Rail did not write', () => {
  const client = createClient({ socket: { host: '127.0.0.1', port }, disableOfflineQueue: true })
  beforeAll(async () => {
    await client.connect()
  })
  afterAll(() => client.destroy())

  const LINES = '360000 1 10 10 per_hour\n'
  const bytes = (...numbers: number[]): Buffer => {
    const buffer = Buffer.alloc(8 * numbers.length)
    for (const [index, number] of numbers.entries()) buffer.writeDoubleLE(number, 8 * index)
    return buffer
  }
  const value = (lines: string, owed: number): Buffer => Buffer.concat([Buffer.from(lines), bytes(Date.now(), owed)])
  /** By what it is: how it comes there. */
  const VALUES: readonly (readonly [string, (name: string) => Promise<unknown>])[] = [
    ['a string', (name) => client.set(name, 'mine')],
    ['an empty string', (name) => client.set(name, '')],
    ['a number', (name) => client.incrBy(name, 42)],
    ['the lines of limits without numbers', (name) => client.set(name, LINES)],
    [
      'lines of limits and too many numbers',
      (name) => client.set(name, Buffer.concat([Buffer.from(LINES), bytes(1, 2, 3)])),
    ],
    ['other lines, and a debt that is not a number', (name) => client.set(name, value('1 1 9 9 old\n', Number.NaN))],
    ['other lines, and a debt without end', (name) => client.set(name, value('1 1 9 9 old\n', Infinity))],
    ['its lines, and a debt that is not a number', (name) => client.set(name, value(LINES, Number.NaN))],
    ['its lines, and a debt without end', (name) => client.set(name, value(LINES, Infinity))],
    ['its lines, and more than any debt', (name) => client.set(name, value(LINES, 2 ** 54))],
    ['bytes that are no text', (name) => client.set(name, Buffer.from([0, 255, 10, 9, 128, 10]))],
    ['a list', (name) => client.lPush(name, ['mine', 'too'])],
    [
      'a hash, as of a program that keeps a member for each limit',
      (name) => client.hSet(name, { per_hour: '5', at: '1' }),
    ],
    ['a set', (name) => client.sAdd(name, 'mine')],
    ['a sorted set, as of a sliding window', (name) => client.zAdd(name, { score: 1, value: 'request' })],
    ['a stream', (name) => client.xAdd(name, '*', { mine: '1' })],
  ]

  let stores = 0
  function fresh(more: Partial<RedisStoreOptions> = {}) {
    const errors: RailError[] = []
    const prefix = `foreign-${++stores}:`
    const onError = (error: unknown): void => void errors.push(error as RailError)
    return { errors, prefix, store: new RedisStore({ client, prefix, deadlineMs: 60_000, onError, ...more }) }
  }
  const charge = (more: Partial<Charge> = {}): Charge => ({ key: 'acme', cost: 1, limits: [perHour(10)], ...more })

  test.each(VALUES)('that is %s counts as full, is replaced, and is reported', async (_, put) => {
    const { store, prefix, errors } = fresh()
    const name = `${prefix}{acme}`
    await put(name)
    const asked = [charge({ key: 'before' }), charge(), charge({ key: 'after' })]
    const decisions = await Promise.all(asked.map((each) => store.take([each], 0)))
    for (const decision of decisions) expect(decision).toMatchObject({ allowed: true, limits: [{ remaining: 9 }] })
    expect(await client.type(name)).toBe('string')
    expect(await client.pTTL(name)).toBeGreaterThan(0)
    expect(await store.take([charge()], 0)).toMatchObject({ allowed: true, limits: [{ remaining: 8 }] })
    expect(errors).toEqual([expect.any(RailError)])
    expect(errors[0]).toMatchObject({
      code: 'RAIL_FOREIGN_VALUE',
      count: 1,
      message: expect.stringContaining(`"${name}"`),
    })
  })

  test.each(VALUES)('that is %s is looked at by a peek, and stays', async (_, put) => {
    const { store, prefix, errors } = fresh()
    await put(`${prefix}{acme}`)
    const before = await client.dump(`${prefix}{acme}`)
    expect(await store.peek([charge()], 0)).toMatchObject({ allowed: true, limits: [{ remaining: 9 }] })
    expect(await client.dump(`${prefix}{acme}`)).toEqual(before)
    expect(errors).toHaveLength(1)
  })

  test.each(VALUES)('that is %s is replaced by a settle, by a give-back and by a reset', async (_, put) => {
    const { store, prefix, errors } = fresh()
    const name = `${prefix}{acme}`
    await put(name)
    await store.settle([charge()], 4, 0)
    expect(errors).toHaveLength(1)
    expect(await store.peek([charge({ cost: 0 })], 0)).toMatchObject({ limits: [{ remaining: 7 }] })
    await store.reset('acme')
    await put(name)
    await store.take([charge({ key: 'other' })], 0, [charge()])
    expect(await client.exists(name)).toBe(0)
    await put(name)
    await store.reset('acme')
    expect(await client.exists(name)).toBe(0)
    expect(errors.map(({ code }) => code)).toEqual(['RAIL_FOREIGN_VALUE'])
  })

  test('is replaced whichever of a request’s keys it is at, and nothing else is', async () => {
    const { store, prefix, errors } = fresh()
    const both = [charge({ key: 'client', cost: 3 }), charge({ key: 'user', cost: 3 })]
    for (const key of ['client', 'user']) {
      await store.reset('client')
      await store.reset('user')
      await store.take(both, 0)
      await client.del(`${prefix}{${key}}`)
      await client.lPush(`${prefix}{${key}}`, 'mine')
      const { limits } = await store.take(both, 0)
      expect(limits.map((status) => [status.key, status.remaining])).toEqual(
        ['client', 'user'].map((each) => [each, each === key ? 7 : 4]),
      )
    }
    expect(errors[0]?.message).toContain(`"${prefix}{client}" or "${prefix}{user}"`)
  })

  test('is reported with the beginning of a long key, and with three keys of many', async () => {
    const { store, prefix, errors } = fresh()
    const key = 'k'.repeat(64)
    await client.set(`${prefix}{${key}}`, 'mine')
    await store.take(
      [key, 'a', 'b', 'c', 'd'].map((each) => charge({ key: each })),
      0,
    )
    const first = `${prefix}{${key}}`.slice(0, 60)
    expect(errors[0]?.message).toContain(
      `Redis key "${first}…" or "${prefix}{a}" or "${prefix}{b}" or 2 others: expected`,
    )
  })

  test('is gone after a request that is refused', async () => {
    const { store, prefix } = fresh()
    await client.lPush(`${prefix}{acme}`, 'mine')
    expect(await store.take([charge({ cost: 11 })], 0)).toMatchObject({ allowed: false, limits: [{ remaining: 10 }] })
    expect(await client.exists(`${prefix}{acme}`)).toBe(0)
  })

  test('is reported once a minute, with the number of times', async () => {
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const { store, prefix, errors } = fresh()
    const foreign = async () => {
      await client.set(`${prefix}{acme}`, 'mine')
      await Promise.all([store.take([charge()], 0), store.take([charge({ key: 'other' })], 0)])
    }
    for (now of [0, 1, 59_999, 60_000, 60_001]) await foreign()
    expect(errors.map(({ count }) => count)).toEqual([1, 3])
  })

  test('is a warning where the store has no onError; one that throws fails no take', async () => {
    const warnings: Error[] = []
    vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void warnings.push(warning as Error))
    const failing = () => Promise.reject(new Error('no'))
    const throwing = () => {
      throw new Error('no')
    }
    for (const onError of [undefined, failing, throwing]) {
      const { store, prefix } = fresh({ onError })
      await client.set(`${prefix}{acme}`, 'mine')
      expect(await store.take([charge()], 0)).toMatchObject({ allowed: true })
    }
    expect(warnings).toEqual([expect.objectContaining({ code: 'RAIL_FOREIGN_VALUE' })])
  })
})
