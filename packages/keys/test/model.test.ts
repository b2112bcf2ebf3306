import { manualClock } from '@rail/core'
import { describe, expect, test } from 'vitest'
import { randomNumbers } from '../../core/test/random-numbers.js'
import { apiKeys, hashKey } from '../src/index.js'
import type { Customer } from './frameworks.js'

const BURST = 10
const MS_PER_TOKEN = 6_000
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
const VALID = new Map(Array.from({ length: 40 }, (_, index) => [hashKey(`key_${index}`), { id: `customer_${index}` }]))
const settled = (): Promise<void> => new Promise(setImmediate)

/** A valid key, or one that nobody has. */
function anyKey(random: (bound: number) => number): string {
  return random(2) === 0 ? `key_${random(40)}` : `guess_${random(1_000)}`
}

describe.each(SEEDS)('random programs, seed %d:', (seed) => {
  test('a valid key in keys is never refused, and guesses are as a bucket allows them', () => {
    const random = randomNumbers(seed)
    const clock = manualClock()
    const keys = apiKeys<Customer>({ keys: Object.fromEntries(VALID), address: () => '192.0.2.1', clock })
    // The model: what is owed, in milliseconds until it is paid.
    let paidAt = 0
    for (let step = 0; step < 2_000; step++) {
      clock.advance(random(3) === 0 ? random(10_000) : 0)
      const key = anyKey(random)
      const owed = Math.max(0, paidAt - clock())
      const hasToken = owed <= (BURST - 1) * MS_PER_TOKEN
      const { identity, refusal } = keys.check({ headers: { 'x-api-key': key } }) as {
        identity?: Customer
        refusal?: { status: number }
      }
      if (VALID.has(hashKey(key))) expect(identity).toEqual(VALID.get(hashKey(key)))
      else expect(refusal?.status).toBe(hasToken ? 401 : 429)
      if (!VALID.has(hashKey(key)) && hasToken) paidAt = clock() + owed + MS_PER_TOKEN
    }
  })

  test('look-ups are no more than the limit and those given back; found keys pass; one window pays every debt', async () => {
    const random = randomNumbers(seed)
    const clock = manualClock()
    const inFlight: { hash: string; end: (identity: Customer | null) => void }[] = []
    const found = new Set<string>()
    let spent = 0 // Look-ups of keys that were not found before.
    let givenBack = 0
    let twice = 0 // Look-ups of a key that was being looked up.
    const keys = apiKeys<Customer>({
      lookup: (hash) => {
        if (inFlight.some((other) => other.hash === hash)) twice++
        if (!found.has(hash)) spent++
        return new Promise((end) => inFlight.push({ hash, end }))
      },
      address: () => '192.0.2.1',
      clock,
    })
    const answers: Promise<void>[] = []
    const endOne = async (index: number): Promise<void> => {
      const [{ hash, end } = { hash: '', end: () => {} }] = inFlight.splice(index, 1)
      if (VALID.has(hash) && !found.has(hash)) givenBack++
      if (VALID.has(hash)) found.add(hash)
      end(VALID.get(hash) ?? null)
      await settled()
    }
    for (let step = 0; step < 1_000; step++) {
      const action = random(10)
      if (action === 0) clock.advance(random(3_000))
      else if (action < 4 && inFlight.length > 0) await endOne(random(inFlight.length))
      else {
        const key = anyKey(random)
        const wasFound = found.has(hashKey(key))
        const check = async (): Promise<void> => {
          const { identity, refusal } = await keys.check({ headers: { 'x-api-key': key } })
          if (wasFound) expect(identity).toEqual(VALID.get(hashKey(key)))
          else if (identity === undefined && VALID.has(hashKey(key))) expect(refusal?.status).toBe(429)
          else expect(identity).toEqual(VALID.get(hashKey(key)))
        }
        answers.push(check())
      }
      expect(spent).toBeLessThanOrEqual(BURST + Math.floor(clock() / MS_PER_TOKEN) + givenBack)
    }
    while (inFlight.length > 0) await endOne(0)
    await Promise.all(answers)
    expect(twice).toBe(0)
    // At most one window of debt: then the whole limit is there again.
    clock.advance(BURST * MS_PER_TOKEN)
    const statuses: (number | undefined)[] = []
    for (let index = 0; index <= BURST; index++) {
      const checked = keys.check({ headers: { 'x-api-key': `last_${index}` } })
      if (inFlight.length > 0) await endOne(0)
      statuses.push((await checked).refusal?.status)
    }
    expect(statuses).toEqual([...Array(BURST).fill(401), 429])
  })
})
