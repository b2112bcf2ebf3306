import { type Charge, MemoryStore } from '@rail/core'
import { describe, expect, test } from 'vitest'
import { faultsOf, oneEach, type Parts } from '../hostile-requests.js'

const SEED = 20_261_130
const CASES = 10_000

test(`no header that a client sends is an error or a free pass: ${CASES} cases, seed ${SEED}`, async () => {
  expect(await faultsOf(oneEach(), CASES, SEED)).toEqual([])
})

/** Buckets of an object: `__proto__` and its like are there from the start, and are no buckets. */
class StoreOfAnObject extends MemoryStore {
  readonly #known: Record<string, unknown> = {}

  override take(charges: readonly Charge[], now: number) {
    const key = String(charges[0]?.key)
    const isNew = this.#known[key] !== true
    this.#known[key] = true
    return isNew ? super.peek(charges, now) : super.take([...charges, ...charges], now)
  }
}

const BROKEN: readonly (readonly [string, Parts])[] = [
  ['a customer is decoded, which fails', { customerOf: (text) => decodeURIComponent(text) || 'none' }],
  ['a customer is cut short', { customerOf: (text) => text.slice(0, 1) }],
  ['an address is counted as it is written', { addressOf: (text) => text || 'none' }],
  ['a preflight is let through by its method', { skip: (c) => c.req.method === 'OPTIONS' }],
  ['a field of the client’s is believed', { skip: (c) => c.req.header('x-ratelimit-remaining') !== undefined }],
  ['buckets are kept in an object', { store: new StoreOfAnObject() }],
]

describe('it would be seen if', () => {
  test.each(BROKEN)('%s', async (_, parts) => {
    expect(await faultsOf(oneEach(parts), CASES, SEED)).not.toEqual([])
  })
})
