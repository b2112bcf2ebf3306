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
    take: () => (state.takes ? { allowed: true, limits: [], retryAfterMs: 0, refusedBy: [], redefined: [] } : fail()),
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
    expect(told[1]?.message).toBe(
      'The store failed to take, 500 times since the last word of it. See that it can be reached; it said: no answer',
    )
  })

  test('once a second of each kind, so that one does not hide another', async () => {
    const { limiter, told, clock, state } = failing()
    for (const says of ['no answer', 'no answer', 'out of memory', 'no answer', 'out of memory']) {
      state.says = says
      await limiter.take({})
    }
    expect(told.map((error) => (error.cause as Error).message)).toEqual(['no answer', 'out of memory'])
    clock.set(1_000)
    await limiter.take({})
    expect(told.at(-1)).toMatchObject({ count: 2, cause: { message: 'out of memory' } })
  })

  test('no more than once a second for all that is new, once there are many kinds', async () => {
    const { limiter, told, clock, state } = failing()
    for (let kind = 0; kind < 1_000; kind++) {
      state.says = `error ${kind}`
      await limiter.take({})
    }
    expect(told).toHaveLength(17)
    clock.set(1_000)
    state.says = 'one more'
    await limiter.take({})
    expect(told.at(-1)).toMatchObject({ count: 984 })
  })

  test('of settle as of take, a kind of its own', async () => {
    const { limiter, told, state } = failing()
    await limiter.take({})
    state.takes = true
    for (let request = 0; request < 5; request++) (await limiter.take({})).settle(2)
    expect(told.map((error) => error.message)).toEqual([
      'The store failed to take. See that it can be reached; it said: no answer',
      'The store failed to settle. See that it can be reached; it said: no answer',
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
