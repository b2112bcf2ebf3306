import { perSecond } from '@rail/core'
import { expect, test } from 'vitest'
import { type Ask, askFor } from '../src/ask.js'
import { RefusalCache } from '../src/refusal-cache.js'

const limits = [perSecond(1)]
const ask = (key: string): Ask =>
  askFor([{ key, limits, cost: 1 }], (scope, of) => ({ name: `${scope}${of}`, tag: of }))
const refusal = { allowed: false, aheadMs: [0], owed: [1], redefined: [] }

test('of refusals so many are remembered at most, the newest always', () => {
  const cache = new RefusalCache(100)
  for (let number = 0; number < 10_000; number++) {
    cache.note(ask(`customer ${number}`), refusal, 0, 0)
    expect(cache.look(ask(`customer ${number}`), 0)).toBeDefined()
  }
  const kept = Array.from({ length: 10_000 }, (_, number) => cache.look(ask(`customer ${number}`), 0))
  expect(kept.filter((known) => known !== undefined).length).toBeLessThanOrEqual(100)
  expect(kept.slice(-50).every((known) => known !== undefined)).toBe(true)
})

test('whether it is still refused is counted from the asking, the wait that is told from the answer', () => {
  const cache = new RefusalCache(100)
  const slow = [perSecond(2, { burst: 1 })]
  const asked = askFor([{ key: 'acme', limits: slow, cost: 1 }], (_, key) => ({ name: key, tag: key }))
  // Asked at 0, answered 40 ms later; Redis read it somewhere between.
  cache.note(asked, { allowed: false, aheadMs: [0], owed: [500], redefined: [] }, 0, 40)
  expect(cache.look(asked, 499)).toMatchObject({ allowed: false, owed: [41] })
  expect(cache.look(asked, 500)).toBeUndefined()
})

test('what Redis’s clock is behind by passes before anything drains', () => {
  const cache = new RefusalCache(100)
  cache.note(ask('acme'), { ...refusal, aheadMs: [300], owed: [1_000] }, 0, 0)
  expect(cache.look(ask('acme'), 200)).toMatchObject({ aheadMs: [100], owed: [1_000] })
  expect(cache.look(ask('acme'), 400)).toMatchObject({ aheadMs: [0], owed: [900] })
})
