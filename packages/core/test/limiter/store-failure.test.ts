import { describe, expect, test } from 'vitest'
import { createLimiter, manualClock, perSecond, RailError, type Store } from '../../src/index.js'

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
      ['store: settle() failed 2 times since the last report, most recently: out of memory', 2],
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
