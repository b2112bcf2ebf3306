import { describe, expect, test } from 'vitest'
import { createLimiter, createPlanBook, type Limit, limit, MemoryStore, perMinute } from '../../src/index.js'

const identify = () => 'acme'
const limiterOn = (store: MemoryStore, limits: readonly Limit[], scope?: string) =>
  createLimiter<object>({ identify, limits, store, scope })

describe('limits that are the same for every request, on one store', () => {
  test('are an error when a second limiter defines one of them differently', () => {
    const store = new MemoryStore()
    limiterOn(store, [perMinute(100)])
    expect(() => limiterOn(store, [perMinute(5)])).toThrow(
      expect.objectContaining({
        code: 'RAIL_DUPLICATE_NAME',
        message:
          'limits: this store has another limit "per_minute". Give one a scope or another name. To change it, ' +
          "call store.forget('', 'per_minute') first, or use a new store.",
      }),
    )
    // The limiter that could not be made has defined nothing.
    expect(() => limiterOn(store, [perMinute(100)])).not.toThrow()
  })

  test('are an error when they count differently', () => {
    const store = new MemoryStore()
    limiterOn(store, [perMinute(100)])
    expect(() => limiterOn(store, [perMinute(100, { counts: 'requests' })])).toThrow(/another limit "per_minute"/)
  })

  test('are an error on a route too, under its scope', () => {
    const store = new MemoryStore()
    const limiter = limiterOn(store, [perMinute(100)], 'api')
    limiter.with({ scope: 'writes', limits: [perMinute(10)] })
    expect(() => limiter.with({ scope: 'writes', limits: [perMinute(20)] })).toThrow(
      /another limit "api.writes.per_minute"/,
    )
    expect(() => limiter.with({ scope: 'reads', limits: [perMinute(20)] })).not.toThrow()
  })

  test('may be equal, or differ in scope, in name, or in store', () => {
    const store = new MemoryStore()
    limiterOn(store, [perMinute(100)])
    expect(() => limiterOn(store, [limit({ name: 'per_minute', tokens: 100, per: '60s' })])).not.toThrow()
    expect(() => limiterOn(store, [perMinute(5)], 'login')).not.toThrow()
    expect(() => limiterOn(store, [perMinute(5, { name: 'tight' })])).not.toThrow()
    expect(() => limiterOn(new MemoryStore(), [perMinute(5)])).not.toThrow()
  })

  test('may be defined anew once the store has forgotten them, and what was spent stays spent', async () => {
    const store = new MemoryStore()
    await limiterOn(store, [perMinute(10)]).take({})
    store.forget('', 'per_minute')
    const { decision } = await limiterOn(store, [perMinute(20)]).take({})
    expect(decision?.limits[0]?.remaining).toBe(18)
  })

  test('are not those of a source or a function, which change while servers run', () => {
    const store = new MemoryStore()
    limiterOn(store, [perMinute(100)])
    const plans = createPlanBook({ plans: { free: { limits: { per_minute: 5 } } }, defaultPlan: 'free' })
    expect(() => createLimiter({ identify, limits: plans, store })).not.toThrow()
    expect(() => createLimiter({ identify, limits: () => [perMinute(7)], store })).not.toThrow()
  })
})
