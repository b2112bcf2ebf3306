import { describe, expect, test } from 'vitest'
import {
  createLimiter,
  type Limit,
  limit,
  MemoryStore,
  manualClock,
  type Outcome,
  perMinute,
  perSecond,
  share,
} from '../../src/index.js'

/** A limiter of one customer, synchronous, on a clock that stands until it is moved. */
function limited(limits: readonly Limit[], store = new MemoryStore()) {
  const clock = manualClock()
  const limiter = createLimiter<{ cost: number }>({
    identify: () => 'customer',
    limits,
    cost: (request) => request.cost,
    clock,
    store,
  })
  const ask = (now: number, cost = 1): Outcome => {
    clock.set(now)
    return limiter.take({ cost }) as Outcome
  }
  return { ask, store }
}

function fieldsOf({ headers }: Outcome): Record<string, string> {
  return Object.fromEntries(headers.map(({ name, value }) => [name, value]))
}

describe('1 per second with bursts of 10', () => {
  const bucket = () => limited([perSecond(1, { burst: 10, name: 'default' })])

  test('ten pass at 0 s, the one at 0.4 s is refused until 1 s', () => {
    const { ask } = bucket()
    for (let request = 1; request <= 10; request++) expect(ask(0).refusal).toBeUndefined()
    const refused = ask(400)
    expect(refused.refusal).toMatchObject({
      status: 429,
      retryAfter: 1,
      type: 'application/json',
      body: '{"error":"rate_limited","retry_after":1}',
    })
    expect(fieldsOf(refused)).toEqual({
      'RateLimit-Policy': '"default";q=10;w=10',
      RateLimit: '"default";r=0;t=1',
      'Retry-After': '1',
      'Cache-Control': 'no-store',
    })
    expect(ask(999).refusal).toBeDefined()
    expect(ask(1_000).refusal).toBeUndefined()
  })
})

describe('10 per second and 300 per minute', () => {
  test('the second empty, the minute owing 88: refused by the second, and the minute is left alone', () => {
    const [second, minute] = [perSecond(10), perMinute(300)]
    const { ask, store } = limited([second, minute])
    store.take([{ key: 'customer', limits: [minute], cost: 78 }], 0)
    expect(ask(0, 10).refusal).toBeUndefined()
    for (let request = 1; request <= 3; request++) {
      const refused = ask(0)
      expect(refused.refusal).toMatchObject({ status: 429, retryAfter: 1 })
      expect(fieldsOf(refused)).toEqual({
        'RateLimit-Policy': '"per_second";q=10;w=1, "per_minute";q=300;w=60',
        RateLimit: '"per_second";r=0;t=1, "per_minute";r=212;t=18',
        'Retry-After': '1',
        'Cache-Control': 'no-store',
      })
    }
    expect(refusedBy(ask(0))).toEqual(['per_second'])
    expect(store.peek([{ key: 'customer', limits: [minute], cost: 0 }], 0).limits[0]).toMatchObject({
      remaining: 212,
      fullAfterMs: 17_600,
    })
  })
})

describe('100 per minute, idle for an hour, then 150 within a second', () => {
  test('100 pass, and one more for each 600 ms; the others may come back in a second', () => {
    const { ask } = limited([perMinute(100)])
    ask(0)
    const outcomes = Array.from({ length: 150 }, (_, index) => ask(3_600_000 + Math.floor((index * 1_000) / 150)))
    const passed = outcomes.flatMap(({ refusal }, index) => (refusal === undefined ? [index] : []))
    expect(passed).toEqual([...Array.from({ length: 100 }, (_, index) => index), passed[100]])
    // 100 came before 600 ms had passed since the first: the first request from then on is let in.
    expect(passed[100]).toBe(100)
    expect(new Set(outcomes.slice(101).map((outcome) => fieldsOf(outcome)['Retry-After']))).toEqual(new Set(['1']))
  })
})

describe('shares', () => {
  test('10 per second on 4 servers is 3 per second in bursts of 3; 1 per second on 40 servers is 1', () => {
    expect(share(perSecond(10), 4)).toMatchObject({ tokens: 3, windowMs: 1_000, burst: 3 })
    expect(share(perSecond(1), 40)).toMatchObject({ tokens: 1, burst: 1 })
  })

  test('a cost of 10 on 10 per second split to 3 is let in by a full bucket, then nothing until the debt has drained', () => {
    const { ask } = limited([share(perSecond(10), 4)])
    expect(ask(0, 10).decision).toMatchObject({ allowed: true, limits: [{ remaining: 0, fullAfterMs: 3_334 }] })
    expect(ask(0).refusal).toMatchObject({ retryAfter: 3 })
    expect(ask(2_666).refusal).toMatchObject({ retryAfter: 1 })
    expect(ask(2_667).refusal).toBeUndefined()
    expect(ask(3_667, 10).refusal).toBeUndefined()
  })
})

describe('the told wait', () => {
  test.each([
    perSecond(7),
    limit({ name: 'odd', tokens: 11, per: '13s' }),
    limit({ name: 'day', tokens: 999_983, per: '1d' }),
    limit({ name: 'rare', tokens: 1, per: '30d' }),
  ])('of $tokens per $windowMs ms is exact to the millisecond', (limit) => {
    const { ask } = limited([limit])
    let now = 12_345
    for (const cost of [limit.burst, 1, Math.ceil(limit.burst / 2), limit.burst, 1, limit.burst]) {
      const { decision } = ask(now, cost)
      if (decision === undefined || decision.allowed) continue
      const wait = decision.retryAfterMs
      expect(ask(now + wait - 1, cost).decision).toMatchObject({ allowed: false, retryAfterMs: 1 })
      now += wait
      expect(ask(now, cost).decision).toMatchObject({ allowed: true })
    }
  })
})

function refusedBy({ decision }: Outcome): readonly string[] | undefined {
  return decision?.refusedBy
}
