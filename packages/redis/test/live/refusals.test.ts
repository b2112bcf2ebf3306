import { type Charge, limit, perMinute, perSecond } from '@rail/core'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { RedisStore } from '../../src/index.js'
import { type CountingServer, startCountingServer } from '../support/counting-server.js'

describe.skipIf(inject('redisPort') === 0)('a store that remembers refusals', () => {
  let server: CountingServer
  let stores = 0
  let store: RedisStore
  /** Another process. */
  let other: RedisStore
  beforeAll(async () => {
    server = await startCountingServer()
  })
  afterAll(() => server.stop())
  beforeEach(() => {
    const options = {
      client: server.client,
      prefix: `refusals-${++stores}:`,
      useGivenTime: true,
      deadlineMs: 60_000,
    }
    store = new RedisStore({ ...options, rememberRefusals: true })
    other = new RedisStore(options)
  })

  const limits = [perSecond(2), perMinute(300)]
  const charge = (more: Partial<Charge> = {}): Charge => ({ key: 'acme', limits, cost: 1, ...more })
  const take = (now: number, more?: Partial<Charge>) => store.take([charge(more)], now)

  const scriptsOf = (work: () => unknown) => server.scriptsOf(work)

  test('refuses again without a command, with the decision of Redis', async () => {
    await take(0, { cost: 2 })
    expect(await take(0)).toMatchObject({ allowed: false, retryAfterMs: 500 })
    const scripts = await scriptsOf(async () => {
      for (const now of [0, 1, 250, 499]) {
        const told = store.take([charge()], now)
        expect(told, 'at once').not.toBeInstanceOf(Promise)
        expect(told).toMatchObject({ allowed: false, retryAfterMs: 500 - now })
      }
    })
    expect(scripts).toBe(0)
    expect(await other.peek([charge()], 300)).toEqual(await take(300))
  })

  test('goes to Redis again when the wait is over', async () => {
    await take(0, { cost: 2 })
    await take(0)
    expect(await scriptsOf(async () => expect(await take(500)).toMatchObject({ allowed: true }))).toBe(1)
  })

  test('goes to Redis for a cost that fits, and refuses one that does not', async () => {
    const ten = { limits: [perSecond(10)] }
    await take(0, { ...ten, cost: 8 })
    expect(await take(0, { ...ten, cost: 5 })).toMatchObject({ allowed: false, retryAfterMs: 300 })
    expect(await scriptsOf(() => take(0, { ...ten, cost: 3 }))).toBe(0)
    expect(await take(0, { ...ten, cost: 3 })).toMatchObject({ allowed: false, retryAfterMs: 100 })
    expect(
      await scriptsOf(async () => expect(await take(0, { ...ten, cost: 2 })).toMatchObject({ allowed: true })),
    ).toBe(1)
    expect(await take(0, { ...ten, cost: 5 }), 'after more was taken').toMatchObject({ retryAfterMs: 500 })
  })

  test('goes to Redis a second later at the latest, however long the wait', async () => {
    const rare = { limits: [limit({ name: 'rare', tokens: 1, per: '1d' })] }
    await take(0, rare)
    await take(0, rare)
    expect(await scriptsOf(() => take(999, rare))).toBe(0)
    expect(await scriptsOf(() => take(1_000, rare))).toBe(1)
    await other.reset('acme')
    expect(await take(1_999, rare), 'a second late').toMatchObject({ allowed: false })
    expect(await take(2_000, rare)).toMatchObject({ allowed: true })
  })

  test('goes to Redis after a settle, a reset and a change of plan in this process', async () => {
    const refused = async () => {
      await store.reset('acme')
      await take(0, { cost: 2 })
      expect(await take(0)).toMatchObject({ allowed: false })
    }
    await refused()
    await store.settle([charge({ cost: 2 })], 0, 0)
    expect(await take(0)).toMatchObject({ allowed: true })
    await refused()
    await store.reset('acme')
    expect(await take(0)).toMatchObject({ allowed: true })
    await refused()
    expect(await take(0, { limits: [perSecond(5), perMinute(300)] })).toMatchObject({ allowed: true })
  })

  test('knows customers and scopes apart, and lets Redis decide on several charges', async () => {
    await take(0, { cost: 2 })
    await take(0)
    expect(await take(0, { key: 'other' })).toMatchObject({ allowed: true })
    expect(await take(0, { scope: 'writes' })).toMatchObject({ allowed: true })
    const both = [charge(), charge({ key: 'third' })]
    for (let round = 0; round < 2; round++) {
      expect(await scriptsOf(async () => expect(await store.take(both, 0)).toMatchObject({ allowed: false }))).toBe(1)
    }
    expect(await take(0, { key: 'third' })).toMatchObject({
      allowed: true,
      limits: [{ remaining: 1 }, { remaining: 299 }],
    })
  })

  test('goes to Redis where charges of one request meet in one bucket', async () => {
    await take(0, { cost: 2 })
    await take(0)
    const asked = await scriptsOf(async () => {
      expect(await store.take([charge(), charge()], 0)).toMatchObject({ limits: [{ cost: 2 }, { cost: 2 }] })
    })
    expect(asked).toBe(1)
  })

  test('goes to Redis after a settle or a reset in the same turn', async () => {
    for (const undo of [() => store.settle([charge({ cost: 2 })], 0, 0), () => store.reset('acme')]) {
      await store.reset('acme')
      await take(0, { cost: 2 })
      await take(0)
      const undone = undo()
      expect(await take(0)).toMatchObject({ allowed: true })
      await undone
    }
  })

  test('goes to Redis where the clock has stepped back, and where the request took before', async () => {
    await take(1_000, { cost: 2 })
    await take(1_000)
    expect(await scriptsOf(() => take(999))).toBe(1)
    expect(await scriptsOf(() => store.take([charge()], 1_000, [charge()]))).toBe(1)
  })
})
