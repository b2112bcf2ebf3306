import { type Charge, limit, perHour, perMinute, perSecond } from '@rail/core'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { RedisStore } from '../../src/index.js'
import { startCountingServer } from '../support/counting-server.js'

const port = inject('redisPort')

describe.skipIf(port === 0)('what Redis holds', () => {
  const client = createClient({ socket: { host: '127.0.0.1', port }, disableOfflineQueue: true })
  beforeAll(async () => {
    await client.connect()
  })
  afterAll(() => client.destroy())

  let stores = 0
  function fresh(more: { useGivenTime?: boolean } = {}) {
    const prefix = `keys-${++stores}:`
    return { prefix, store: new RedisStore({ client, prefix, deadlineMs: 60_000, ...more }) }
  }
  const charge = (more: Partial<Charge> = {}): Charge => ({
    key: 'acme',
    cost: 1,
    limits: [perSecond(1, { burst: 50 }), perMinute(300)],
    ...more,
  })

  test('every key expires, after every path, when its last debt has drained and a little later', async () => {
    const { store, prefix } = fresh()
    const name = `${prefix}{acme}`
    const slow = limit({ name: 'slow', tokens: 1, per: '30d', burst: 10 })
    const quick = limit({ name: 'quick', tokens: 1_000, per: '1s' })
    const paths: readonly (readonly [what: string, fullMs: number, path: () => unknown])[] = [
      ['a take', 5_000, () => store.take([charge({ cost: 5 })], 0)],
      ['a second take', 10_000, () => store.take([charge({ cost: 5 })], 0)],
      ['a take under another limit', 10_000, () => store.take([charge({ limits: [quick] })], 0)],
      ['a refusal', 10_000, () => store.take([charge({ cost: 45 })], 0)],
      ['a settle that takes', 40_000, () => store.settle([charge({ cost: 1 })], 31, 0)],
      ['a settle into debt', 100_000, () => store.settle([charge({ cost: 1 })], 61, 0)],
      ['a settle that gives back', 2_000, () => store.settle([charge({ cost: 99 })], 1, 0)],
      ['a changed limit', 30 * 86_400_000, () => store.take([charge({ limits: [slow], cost: 1 })], 0)],
    ]
    for (const [what, fullMs, path] of paths) {
      await path()
      const ttl = await client.pTTL(name)
      // Time passes meanwhile, however much: never too long, and not yet gone.
      expect(ttl, what).toBeGreaterThan(0)
      expect(ttl, what).toBeLessThanOrEqual(fullMs + 2_000)
      expect(ttl, what).toBeGreaterThan(fullMs - 10_000)
    }
  })

  test('the expiry stays while it is late enough, and is moved when a debt would outlive it', async () => {
    // By a given time the slack is an hour, so that a slow machine does not matter.
    const { store, prefix } = fresh({ useGivenTime: true })
    const name = `${prefix}{acme}`
    const take = (cost: number, now: number) => store.take([charge({ limits: [perHour(10)], cost })], now)
    await take(1, 0)
    // Nobody but this test says so: it shows what a write has kept.
    await client.pExpire(name, 100 * 3_600_000)
    await take(1, 1_000)
    await take(0, 2_000)
    expect(await client.pTTL(name)).toBeGreaterThan(90 * 3_600_000)
    await take(6, 3_000)
    expect(await client.pTTL(name)).toBeLessThanOrEqual(2 * 3_600_000)
    await client.pExpire(name, 100 * 3_600_000)
    await take(1, 4_000)
    expect(await client.pTTL(name)).toBeGreaterThan(90 * 3_600_000)
  })

  test('a key that is full before the next millisecond still expires', async () => {
    const { store, prefix } = fresh()
    await store.take([charge({ limits: [limit({ name: 'fast', tokens: 999_999_999, per: '1s' })] })], 0)
    expect(await client.pTTL(`${prefix}{acme}`)).toBeGreaterThan(0)
  })

  test('what owes nothing is not kept: refused and free requests of unknown customers, and what is given back', async () => {
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

  test('the time is the server’s: what the caller’s clock says does not matter', async () => {
    const { store } = fresh()
    const rare = [limit({ name: 'rare', tokens: 1, per: '30d' })]
    expect(await store.take([charge({ limits: rare })], 0)).toMatchObject({ allowed: true })
    for (const now of [0, -5, 1e12, Number.MAX_SAFE_INTEGER]) {
      expect(await store.take([charge({ limits: rare })], now)).toMatchObject({ allowed: false })
    }
  })

  test('a client that waits as long as it is told, by the server’s time, is let in', async () => {
    const { store } = fresh()
    const limits = [perSecond(7, { burst: 1 })]
    for (let round = 0; round < 5; round++) {
      const { allowed, retryAfterMs } = await store.take([charge({ limits })], 0)
      if (allowed) continue
      await new Promise((resolve) => setTimeout(resolve, retryAfterMs + 1))
      expect(await store.take([charge({ limits })], 0)).toMatchObject({ allowed: true })
    }
  })

  test('what is asked in one turn travels in one command', async () => {
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

  test('what is asked in one turn of one customer is answered in its order', async () => {
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
