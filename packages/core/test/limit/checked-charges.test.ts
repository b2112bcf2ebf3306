import { describe, expect, test } from 'vitest'
import { type Charge, createLimiter, type Limit, MemoryStore, perMinute, perSecond, several } from '../../src/index.js'
import { checkedCharges } from '../../src/limit/check-charges.js'

const ten = [perSecond(10)]

/** The charges that a limiter takes from its store. */
function taken(options: object, route: object = {}): readonly Charge[] {
  let charges: readonly Charge[] = []
  const inner = new MemoryStore()
  const store = {
    take: (given: readonly Charge[], now: number) => {
      charges = given
      return inner.take(given, now)
    },
    peek: inner.peek.bind(inner),
    settle: inner.settle.bind(inner),
    reset: inner.reset.bind(inner),
  }
  const plain = 'charges' in options ? {} : { identify: () => 'acme', limits: ten }
  createLimiter({ ...plain, ...options, store } as never)
    .with(route)
    .take({})
  return charges
}

const two = (): Charge[] => [
  { key: 'acme', limits: ten, cost: 1 },
  { key: 'bob', limits: [perMinute(60)], cost: 2, scope: 'users' },
]

describe('charges that a limiter has made', () => {
  test.each<[string, readonly Charge[]]>([
    ['of one customer', taken({})],
    ['of limits that a function returns', taken({ limits: () => [perMinute(5)], cost: () => 2 })],
    ['of a route', taken({}, { scope: 'writes', limits: [perMinute(2)] })],
    ['of a route alone', taken({ limits: () => [] }, { scope: 'writes', limits: [perMinute(2)] })],
    ['of several()', taken({ charges: several(two) })],
    ['of several() on a costly route', taken({ charges: several(two) }, { cost: 3 })],
  ])('are used as they are: %s', (_, charges) => {
    expect(charges.length).toBeGreaterThan(0)
    const used = checkedCharges(charges)
    for (const [index, charge] of charges.entries()) expect(used[index]).toBe(charge)
    expect(used === charges).toBe(charges.length === 1)
  })

  test('are checked where another store has changed them', () => {
    for (const [code, change] of [
      ['RAIL_BAD_COST', { cost: Number.NaN }],
      ['RAIL_BAD_COST', { cost: 0.5 }],
      ['RAIL_BAD_KEY', { key: '' }],
      ['RAIL_BAD_OPTION', { scope: 7 }],
      ['RAIL_BAD_LIMITS', { limits: [{}] }],
    ] as const) {
      const charges = taken({})
      Object.assign(charges[0] as Charge, change)
      expect(() => checkedCharges(charges), JSON.stringify(change)).toThrow(expect.objectContaining({ code }))
    }
  })

  test('are copied where the array is another, or has another charge', () => {
    const [own] = taken({}) as [Charge]
    for (const charges of [[own], [own, own], new Proxy([own], {}), Object.assign([...taken({})], { 1: two()[1] })]) {
      expect(checkedCharges(charges)).not.toBe(charges)
      expect(checkedCharges(charges)).toEqual(charges)
    }
    for (const charge of [{ ...own }, Object.create(own), new Proxy(own, {})]) {
      const [copy] = checkedCharges([charge]) as [Charge]
      expect(copy).not.toBe(charge)
      expect(copy).toEqual(own)
      // What was copied once is not copied again.
      expect(checkedCharges([copy])[0]).toBe(copy)
    }
  })

  test('have the limits that were checked, whatever the array returns when it is read again', () => {
    const charges = taken({})
    let reads = 0
    const changing = new Proxy([...ten], {
      get: (target, name) => (name === '0' ? perMinute(++reads) : Reflect.get(target, name)),
    }) as readonly Limit[]
    Object.assign(charges[0] as Charge, { limits: changing })
    const [copy] = checkedCharges(charges) as [Charge]
    const [first] = copy.limits
    expect(reads).toBeGreaterThan(0)
    expect(copy.limits).toEqual([perMinute(reads)])
    expect(copy.limits[0]).toBe(first)
    expect(Object.isFrozen(copy.limits)).toBe(true)
  })
})
