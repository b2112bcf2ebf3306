import { describe, expect, test } from 'vitest'
import {
  createLimiter,
  localStore,
  MemoryStore,
  manualClock,
  perSecond,
  RailError,
  type Store,
} from '../../src/index.js'

/** A limiter whose store says what is in `says`, and what it told of that. */
function failing() {
  const clock = manualClock()
  const told: unknown[] = []
  const state = { says: 'no answer', takes: false }
  const fail = (): never => {
    throw new Error(state.says)
  }
  const store: Store = {
    take: () => (state.takes ? { allowed: true, limits: [], retryAfterMs: 0, refusedBy: [] } : fail()),
    peek: fail,
    settle: fail,
    reset: fail,
  }
  const options = { identify: () => 'acme', limits: [perSecond(1)], store, clock }
  const limiter = createLimiter<object>({ ...options, onError: (error) => told.push(error) })
  return { clock, told: told as RailError[], state, limiter }
}

describe('of a store that fails, onError is told', () => {
  test('at once, with the code RAIL_STORE_FAILED and the cause', async () => {
    const { limiter, told } = failing()
    await limiter.take({})
    expect(told).toHaveLength(1)
    expect(told[0]).toBeInstanceOf(RailError)
    expect(told[0]).toMatchObject({ code: 'RAIL_STORE_FAILED', count: 1, cause: { message: 'no answer' } })
  })

  test('at most once a second, with how many failures that stands for', async () => {
    const { limiter, told, clock } = failing()
    for (let time = 0; time < 3_000; time += 2) {
      clock.set(time)
      await limiter.take({})
    }
    expect(told.map((error) => error.count)).toEqual([1, 500, 500])
    expect(told[1]?.message).toBe('store: take() failed 500 times since the last report, most recently: no answer')
  })

  test('with the latest cause, of settle as of take', async () => {
    const { limiter, told, clock, state } = failing()
    await limiter.take({})
    state.says = 'out of memory'
    await limiter.take({})
    clock.set(1_000)
    state.takes = true
    const { settle } = await limiter.take({})
    settle(2)
    expect(told.map(({ message, count }) => [message, count])).toEqual([
      ['store: take() failed: no answer', 1],
      ['store: take() works again after 1 s; failures since the last report: 1.', 1],
      ['store: settle() failed: out of memory', 1],
    ])
  })

  test('again at once where the clock has stepped back', async () => {
    const { limiter, told, clock } = failing()
    clock.set(10_000)
    await limiter.take({})
    clock.set(9_500)
    await limiter.take({})
    expect(told).toHaveLength(2)
  })
})

describe('of a store that works again, onError is called', () => {
  test('once, with the failures that had no report, and the time that it failed', async () => {
    const { limiter, told, clock, state } = failing()
    for (const now of [0, 10, 20, 4_000, 4_010, 4_020, 4_030]) {
      clock.set(now)
      await limiter.take({})
    }
    state.takes = true
    for (const now of [4_900, 5_000, 5_001, 60_000]) {
      clock.set(now)
      await limiter.take({})
    }
    expect(told.map(({ code, count, message }) => [code, count, message])).toEqual([
      ['RAIL_STORE_FAILED', 1, 'store: take() failed: no answer'],
      ['RAIL_STORE_FAILED', 3, 'store: take() failed 3 times since the last report, most recently: no answer'],
      ['RAIL_STORE_RECOVERED', 3, 'store: take() works again after 4.9 s; failures since the last report: 3.'],
    ])
  })

  test('with the time that it failed, however late the next request comes', async () => {
    const { limiter, told, clock, state } = failing()
    for (const [now, takes] of [
      [0, false],
      [10, true],
      [20, false],
      [50, true],
      [3_600_000, true],
    ] as const) {
      clock.set(now)
      state.takes = takes
      await limiter.take({})
    }
    const recovered = told.filter(({ code }) => code === 'RAIL_STORE_RECOVERED')
    expect(recovered.map(({ count, message }) => [count, message])).toEqual([
      [0, 'store: take() works again after 0.01 s.'],
      [1, 'store: take() works again after 0.03 s; failures since the last report: 1.'],
    ])
  })

  test('for settle when the store has settled: not for a settle that does nothing, nor for one of a local store', async () => {
    const memory = new MemoryStore()
    const state = { takes: true, settles: false }
    const gone = (): never => {
      throw new Error('gone')
    }
    const store: Store = {
      take: (...given) => (state.takes ? memory.take(...given) : gone()),
      peek: (...given) => memory.peek(...given),
      settle: (...given) => (state.settles ? memory.settle(...given) : gone()),
      reset: (...given) => memory.reset(...given),
    }
    const clock = manualClock(10_000)
    const told: RailError[] = []
    const limiter = createLimiter<object>({
      identify: () => 'acme',
      limits: [perSecond(9)],
      store,
      clock,
      onStoreFailure: localStore(),
      onError: (error) => told.push(error as RailError),
    })
    const [first, second] = [await limiter.take({}), await limiter.take({})]
    first.settle(0)
    expect(told.map(({ message }) => message)).toEqual(['store: settle() failed: gone'])
    clock.advance(5_000)
    first.settle(0)
    state.takes = false
    const local = await limiter.take({})
    local.settle(0)
    const recovered = () => told.filter(({ code }) => code === 'RAIL_STORE_RECOVERED').map(({ message }) => message)
    expect(recovered()).toEqual([])
    state.settles = true
    second.settle(0)
    expect(recovered()).toEqual(['store: settle() works again after 5 s.'])
  })

  test('at most once a second where it fails now and then', async () => {
    const { limiter, told, clock, state } = failing()
    for (let now = 0; now < 3_000; now += 10) {
      clock.set(now)
      state.takes = now % 30 === 0
      await limiter.take({})
    }
    const counts = told.map(({ code }) => code)
    expect(counts.filter((code) => code === 'RAIL_STORE_FAILED').length).toBeLessThanOrEqual(3)
    expect(counts.filter((code) => code === 'RAIL_STORE_RECOVERED').length).toBeLessThanOrEqual(3)
    expect(counts).toContain('RAIL_STORE_RECOVERED')
  })

  test('not for settle while settle fails, although takes work', async () => {
    const { limiter, told, clock, state } = failing()
    state.takes = true
    for (let now = 0; now < 3_000; now += 100) {
      clock.set(now)
      ;(await limiter.take({})).settle(2)
    }
    expect(new Set(told.map(({ code }) => code))).toEqual(new Set(['RAIL_STORE_FAILED']))
  })
})
