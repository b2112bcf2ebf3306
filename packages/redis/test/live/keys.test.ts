import { type Charge, limit, perHour, perMinute, perSecond } from '@rail/core'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { RedisStore, type RedisStoreOptions } from '../../src/index.js'
import { startCountingServer } from '../support/counting-server.js'

const port = inject('redisPort')

describe.skipIf(port === 0)('what Redis holds', () => {
  const client = createClient({ socket: { host: '127.0.0.1', port }, disableOfflineQueue: true })
  beforeAll(async () => {
    await client.connect()
  })
  afterAll(() => client.destroy())

  const serverMs = async () => {
    const [seconds, micros] = await client.time()
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000)
  }
  const expiresAt = (name: string) => client.pExpireTime(name)
  let stores = 0
  function fresh(more: Partial<RedisStoreOptions> = {}) {
    const prefix = `keys-${++stores}:`
    return { prefix, store: new RedisStore({ client, prefix, deadlineMs: 60_000, ...more }) }
  }
  const charge = (more: Partial<Charge> = {}): Charge => ({
    key: 'acme',
    cost: 1,
    limits: [perSecond(1, { burst: 50 }), perMinute(300)],
    ...more,
  })

  test('every key expires, after every path, in the millisecond in which its last bucket is full', async () => {
    const { store, prefix } = fresh()
    const name = `${prefix}{acme}`
    // No bucket is full after a whole number of milliseconds, nor before the test is over.
    const asked = [
      limit({ name: 'sevenths', tokens: 7, per: '1h', burst: 50 }),
      limit({ name: 'one', tokens: 1, per: '13s' }),
    ]
    let other = limit({ name: 'other', tokens: 7, per: '10d' })
    const of = (more: Partial<Charge> = {}) => charge({ limits: asked, ...more })
    const paths: readonly (readonly [what: string, path: () => unknown])[] = [
      ['a take', () => store.take([of()], 0)],
      ['a refusal', () => store.take([of()], 0)],
      ['a take under another limit', () => store.take([of({ limits: [other] })], 0)],
      ['a settle that takes', () => store.settle([of()], 31, 0)],
      ['a settle into debt', () => store.settle([of()], 1_000, 0)],
      ['a settle that gives back', () => store.settle([of({ cost: 1_011 })], 1, 0)],
      [
        'a changed limit',
        () => {
          other = limit({ name: 'other', tokens: 11, per: '14d' })
          return store.take([of({ limits: [other] })], 0)
        },
      ],
      [
        'a take of another charge',
        () => store.take([of({ key: 'other', limits: [other] }), of({ limits: [other] })], 0),
      ],
    ]
    for (const [what, path] of paths) {
      await path()
      const from = await serverMs()
      const { limits } = await store.peek([of({ limits: [...asked, other], cost: 0 })], 0)
      const to = await serverMs()
      const fullAt = (await expiresAt(name)) - Math.max(...limits.map(({ fullAfterMs }) => fullAfterMs))
      expect(fullAt, what).toBeGreaterThanOrEqual(from)
      expect(fullAt, what).toBeLessThanOrEqual(to)
    }
  })

  test('by a given time a key outlives its last debt by an hour, as nobody knows how long that time takes', async () => {
    const { store, prefix } = fresh({ useGivenTime: true })
    const from = await serverMs()
    await store.take([charge({ limits: [perHour(10)], cost: 5 })], 1e12)
    const to = await serverMs()
    const expires = await expiresAt(`${prefix}{acme}`)
    expect(expires).toBeGreaterThanOrEqual(from + 1.5 * 3_600_000)
    expect(expires).toBeLessThanOrEqual(to + 1.5 * 3_600_000)
  })

  test('a key that is full before the next millisecond is not kept for ever', async () => {
    const { store, prefix } = fresh()
    await store.take([charge({ limits: [limit({ name: 'fast', tokens: 999_999_999, per: '1s' })] })], 0)
    // Gone by now, or soon: -1 would be never.
    expect(await client.pTTL(`${prefix}{acme}`)).not.toBe(-1)
  })

  test('a bucket that owes nothing is not kept: after refused and free requests of unknown customers, and after a give-back', async () => {
    const { store, prefix } = fresh({ useGivenTime: true })
    await store.take([charge({ key: 'never fits', cost: 99 })], 0)
    await store.take([charge({ key: 'free', cost: 0 })], 0)
    await store.peek([charge({ key: 'looked at' })], 0)
    await store.settle([charge({ key: 'gives', cost: 5 })], 1, 0)
    const given = charge({ key: 'back', cost: 5 })
    await store.take([given], 0)
    await store.settle([given], 0, 0)
    await store.take([charge({ key: 'drained' })], 0)
    await store.take([charge({ key: 'drained', cost: 0 })], 60_000)
    await store.take([charge({ key: 'reset' })], 0)
    await store.reset('reset')
    expect(await client.keys(`${prefix}*`)).toEqual([])
    await store.take([charge()], 0)
    expect(await client.keys(`${prefix}*`)).toEqual([`${prefix}{acme}`])
  })

  test('a smaller limit keeps its key until the cut has drained, and a larger one counts it again', async () => {
    const { store, prefix } = fresh()
    const [large, small] = [perMinute(100), perMinute(5)].map((each) => charge({ limits: [each], cost: 0 }))
    await store.take([{ ...large, cost: 95 } as Charge], 0)
    expect(await store.take([small as Charge], 0)).toMatchObject({ limits: [{ remaining: 0 }] })
    // 95 tokens, 12 seconds each; no test takes a minute.
    expect(await client.pTTL(`${prefix}{acme}`)).toBeGreaterThan(94 * 12_000 - 60_000)
    expect(await client.pTTL(`${prefix}{acme}`)).toBeLessThanOrEqual(95 * 12_000)
    expect(await store.take([large as Charge], 0)).toMatchObject({ limits: [{ remaining: 5 }] })
  })

  test('two processes whose limits differ allow no more than the larger one', async () => {
    const { store, prefix } = fresh({ useGivenTime: true })
    const other = new RedisStore({ client, prefix, useGivenTime: true, deadlineMs: 60_000 })
    let allowed = 0
    for (let round = 0; round < 150; round++) {
      const both = [
        store.take([charge({ limits: [perMinute(5)] })], 0),
        other.take([charge({ limits: [perMinute(100)] })], 0),
      ]
      for (const decision of await Promise.all(both)) if (decision.allowed) allowed++
    }
    expect(allowed).toBe(100)
  })

  test('what is given back reduces a cut too, and no key is left of a bucket that is full again', async () => {
    const { store, prefix } = fresh({ useGivenTime: true })
    const taken = charge({ limits: [perMinute(100)], cost: 95 })
    await store.take([taken], 0)
    await store.take([charge({ limits: [perMinute(5)], cost: 0 })], 0)
    await store.settle([taken], 50, 0)
    expect(await store.peek([charge({ limits: [perMinute(100)], cost: 0 })], 0)).toMatchObject({
      limits: [{ remaining: 50 }],
    })
    await store.settle([taken], 45, 0)
    expect(await client.keys(`${prefix}*`)).toEqual([])
  })

  test('a value is lines and numbers, with or without a cut', async () => {
    const { store, prefix } = fresh({ useGivenTime: true })
    for (const [cut, left] of [
      ['', 5],
      ['\t300', 2],
    ] as const) {
      const numbers = Buffer.alloc(16)
      numbers.writeDoubleLE(1_000, 0)
      numbers.writeDoubleLE(500, 8)
      const value = Buffer.concat([Buffer.from(`100 1 5 5 per_second${cut}\n`), numbers])
      await client.set(`${prefix}{acme}`, value)
      const raised = perSecond(10, { burst: 10 })
      expect(await store.peek([charge({ limits: [raised], cost: 0 })], 1_000)).toMatchObject({
        limits: [{ remaining: left }],
      })
    }
  })

  test('a customer has one key in each scope, whatever the number of limits, and no key is long', async () => {
    const { store, prefix } = fresh()
    const limits = Array.from({ length: 10 }, (_, number) => perMinute(60, { name: `limit ${number}` }))
    await store.take([charge({ limits })], 0)
    await store.take([charge({ limits, scope: 'writes' })], 0)
    await store.take([charge({ limits, key: 'x'.repeat(10_000), scope: 'y'.repeat(10_000) })], 0)
    await store.take([charge({ limits, key: '{}a{b}\n' })], 0)
    const names = (await client.keys(`${prefix}*`)).toSorted()
    expect(names).toHaveLength(4)
    expect(names).toContain(`${prefix}{acme}`)
    expect(names).toContain(`${prefix}{acme}writes`)
    for (const name of names) {
      expect(name.length).toBeLessThan(120)
      expect(name).toMatch(/^[\x21-\x7e]*\{[^{}]+\}[^{}]*$/)
    }
  })

  test.each([
    ['a long key', 'k'.repeat(300), {}],
    ['a secret that is hashed', 'sk_live_51H8', { hashKeys: true }],
    [
      'a secret that is hashed and has a tag',
      'sk_live_51H8',
      { hashKeys: true, tag: (key: string) => key.slice(0, 7) },
    ],
  ])('every operation takes the original of %s, which is not in Redis', async (_, key, options) => {
    const { store, prefix } = fresh({ useGivenTime: true, ...options })
    const mine = charge({ key, cost: 4 })
    expect(await store.take([mine], 0)).toMatchObject({ limits: [{ key, remaining: 46 }, { key }] })
    await store.settle([mine], 6, 0)
    expect(await store.peek([{ ...mine, cost: 0 }], 0)).toMatchObject({ limits: [{ remaining: 44 }, {}] })
    expect(await store.take([{ ...mine, cost: 5 }], 0, [mine])).toMatchObject({ limits: [{ remaining: 43 }, {}] })
    const [name, ...others] = await client.keys(`${prefix}*`)
    expect(others).toEqual([])
    expect(name).not.toContain(key.slice(0, 7))
    expect(await client.get(String(name))).not.toContain(key.slice(0, 7))
    await store.reset(key)
    expect(await client.keys(`${prefix}*`)).toEqual([])
  })

  test('the time is the server’s: the caller’s clock does not matter', async () => {
    const { store } = fresh()
    const rare = [limit({ name: 'rare', tokens: 1, per: '30d' })]
    expect(await store.take([charge({ limits: rare })], 0)).toMatchObject({ allowed: true })
    for (const now of [0, -5, 1e12, Number.MAX_SAFE_INTEGER]) {
      expect(await store.take([charge({ limits: rare })], now)).toMatchObject({ allowed: false })
    }
  })

  test('a client that waits as long as the decision says, by the server’s time, is allowed', async () => {
    const { store } = fresh()
    const limits = [perSecond(7, { burst: 1 })]
    for (let round = 0; round < 5; round++) {
      const { allowed, retryAfterMs } = await store.take([charge({ limits })], 0)
      if (allowed) continue
      await new Promise((resolve) => setTimeout(resolve, retryAfterMs + 1))
      expect(await store.take([charge({ limits })], 0)).toMatchObject({ allowed: true })
    }
  })

  test('the items of one turn travel in one command', async () => {
    const { client, scriptsOf, stop } = await startCountingServer()
    const store = new RedisStore({ client, deadlineMs: 60_000 })
    await store.take([charge()], 0)
    const asked = () =>
      Promise.all([
        ...Array.from({ length: 30 }, (_, number) => store.take([charge({ key: `customer ${number}` })], 0)),
        store.peek([charge()], 0),
        store.settle([charge()], 3, 0),
        store.reset('nobody'),
      ])
    expect(await scriptsOf(asked)).toBe(1)
    store.close()
    await stop()
  })

  test('the items of one customer in one turn are answered in their order', async () => {
    const { store } = fresh({ useGivenTime: true })
    const asked = charge({ limits: [perMinute(10)], cost: 4 })
    const [first, , second, third, , fourth] = await Promise.all([
      store.take([asked], 0),
      store.settle([asked], 2, 0),
      store.take([asked], 0),
      store.take([asked], 0),
      store.reset('acme'),
      store.take([asked], 0),
    ])
    expect([first, second, third, fourth].map((decision) => [decision.allowed, decision.limits[0]?.remaining])).toEqual(
      [
        [true, 6],
        [true, 4],
        [true, 0],
        [true, 6],
      ],
    )
  })
})
