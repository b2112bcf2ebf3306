import { describe, expect, test } from 'vitest'
import { settled } from '../../src/bucket/settled.js'
import { type Charge, type Limit, limit, MemoryStore, perMinute, share } from '../../src/index.js'
import { randomNumbers } from '../random-numbers.js'

/** What a store says after a settle, and what is computed from its decision alone. */
function both(charges: readonly Charge[], actual: number, elapsedMs: number, spend: number, at = 0) {
  const store = new MemoryStore({ maxKeys: 8 })
  const first = charges[0] as Charge
  store.take([{ ...first, cost: spend }], 0)
  const decision = store.take(charges, at)
  const later = at + elapsedMs
  store.settle(charges, actual, later)
  const after = charges.map((charge) => ({ ...charge, cost: actual }))
  // A peek of cost 0 takes nothing where cost is counted.
  const counted = (of: Limit): Limit => (of.counts === 'cost' ? of : limit({ name: of.name, tokens: 7, per: '1m' }))
  const zero = charges.map((charge) => ({ ...charge, limits: charge.limits.map(counted), cost: 0 }))
  return { decision, exact: store.peek(zero, later), computed: settled(decision, charges, after, elapsedMs) }
}

describe('a decision after a settle is what the store says', () => {
  const requests = limit({ name: 'requests', tokens: 7, per: '1m', counts: 'requests' })
  test.each<[string, readonly Limit[], number, number, number]>([
    ['for more', [perMinute(100)], 1, 50, 0],
    ['for less', [perMinute(100)], 50, 1, 0],
    ['for nothing', [perMinute(100)], 50, 0, 0],
    ['into debt', [perMinute(100)], 50, 180, 0],
    ['later', [perMinute(100)], 50, 180, 30_000],
    ['of a limit that counts requests', [requests, perMinute(100)], 50, 60, 0],
    ['of a share in debt, which gives back', [share(perMinute(100), 4)], 90, 30, 0],
  ])('%s', (_, limits, cost, actual, elapsedMs) => {
    const { exact, computed, decision } = both([{ key: 'a', limits, cost }], actual, elapsedMs, 0)
    expect(decision.allowed).toBe(true)
    const of = ({ limits: all }: typeof exact) =>
      all.map(({ remaining, retryAfterMs, fullAfterMs }) => ({ remaining, retryAfterMs, fullAfterMs }))
    expect(of(computed)).toEqual(of(exact))
  })

  test('of cost 0 in a bucket that is in debt', () => {
    const store = new MemoryStore({ maxKeys: 8 })
    const charges = [{ key: 'a', limits: [perMinute(100)], cost: 0 }]
    store.settle(charges, 150, 0)
    const decision = store.take(charges, 0)
    store.settle(charges, 20, 0)
    expect(settled(decision, charges, [{ ...(charges[0] as Charge), cost: 20 }], 0)).toEqual(store.peek(charges, 0))
  })

  test('where charges meet in one bucket', () => {
    const charges = [3, 2].map((cost) => ({ key: 'a', limits: [perMinute(100)], cost }))
    const { exact, computed } = both(charges, 10, 0, 0)
    expect(computed.limits.map(({ remaining }) => remaining)).toEqual([80])
    expect(exact.limits[0]?.remaining).toBe(80)
  })
})

test('it never shows more than there is, and its times are at most 1 ms longer, for any limit (seed 20261201)', () => {
  const below = randomNumbers(20_261_201)
  for (let step = 0; step < 2_000; step++) {
    const tokens = 1 + below(below(2) === 0 ? 50 : 1_000_000)
    const rule = limit({ name: 'any', tokens, per: 1 + below(100_000), burst: 1 + below(2 * tokens) })
    const cost = 1 + below(rule.burst)
    const elapsedMs = below(3) === 0 ? below(2_000) : 0
    const { decision, exact, computed } = both(
      [{ key: 'a', limits: [rule], cost }],
      below(2 * rule.burst),
      elapsedMs,
      below(rule.burst - cost + 1),
      below(50),
    )
    const [is, seems] = [exact.limits[0], computed.limits[0]]
    if (!decision.allowed || is === undefined || seems === undefined) throw new Error('not allowed')
    expect(seems.remaining).toBeLessThanOrEqual(is.remaining)
    if (elapsedMs === 0) expect(seems.remaining).toBe(is.remaining)
    expect(seems.fullAfterMs - is.fullAfterMs).toBeGreaterThanOrEqual(0)
    expect(seems.fullAfterMs - is.fullAfterMs).toBeLessThanOrEqual(1)
    if (seems.remaining === is.remaining) expect(seems.retryAfterMs - is.retryAfterMs).toBeLessThanOrEqual(1)
  }
})
