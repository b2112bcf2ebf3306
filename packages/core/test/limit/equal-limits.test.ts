import { describe, expect, test } from 'vitest'
import { limit, perMinute, perSecond } from '../../src/index.js'
import { checkedLimits } from '../../src/limit/check-limits.js'

describe('limits that are made again', () => {
  test('are the same object where all numbers and names are equal, and another where one is not', () => {
    const definition = { name: 'calls', tokens: 10, per: 1_000, burst: 20, counts: 'cost' } as const
    const first = limit(definition)
    expect(limit({ ...definition })).toBe(first)
    const others = [
      { ...definition, name: 'call' },
      { ...definition, tokens: 11 },
      { ...definition, per: 1_001 },
      { ...definition, burst: 21 },
      { ...definition, counts: 'requests' as const },
    ]
    for (const [index, other] of others.entries()) {
      expect(limit(other)).not.toBe(first)
      expect(limit(other)).toMatchObject({ name: index === 0 ? 'call' : 'calls', tokens: index === 1 ? 11 : 10 })
    }
  })

  test('are checked all the same: what only looks like an earlier definition is an error', () => {
    limit({ name: 'calls', tokens: 10, per: 1_000 })
    for (const wrong of [
      { name: 'calls', tokens: '10', per: 1_000 },
      { name: 'calls', tokens: '10', per: 1_000, burst: 10 },
      { name: 'calls', tokens: 10, per: '1000' },
      { name: 'calls', tokens: 10, per: 1_000, burst: '10' },
      { name: { toString: () => 'calls' }, tokens: 10, per: 1_000 },
      { name: 'calls', tokens: { toString: () => '10' }, per: 1_000 },
    ]) {
      expect(() => limit(wrong as never)).toThrow(/expected /)
    }
  })

  test('are bounded in number', () => {
    const first = limit({ name: 'first', tokens: 1, per: 1 })
    for (let tokens = 1; tokens <= 300; tokens++) limit({ name: 'many', tokens, per: 1 })
    expect(limit({ name: 'first', tokens: 1, per: 1 })).not.toBe(first)
    expect(limit({ name: 'first', tokens: 1, per: 1 })).toEqual(first)
  })
})

describe('an array of limits that is made again', () => {
  const made = () => [perSecond(10), perMinute(300)]

  test('is the one that was checked before, where its limits are the same', () => {
    const first = checkedLimits(made(), 'limits()')
    expect(checkedLimits(made(), 'limits()')).toBe(first)
    for (const other of [[perSecond(10)], [perSecond(10), perMinute(301)], [perMinute(300), perSecond(10)]]) {
      expect(checkedLimits(other, 'limits()')).toEqual(other)
    }
  })

  test('is checked where it is another: names twice, and things that are not limits', () => {
    checkedLimits(made(), 'limits()')
    const twice = [perSecond(10), perSecond(11)]
    expect(() => checkedLimits(twice, 'limits()')).toThrow(expect.objectContaining({ code: 'RAIL_DUPLICATE_NAME' }))
    for (const wrong of [[perSecond(10), 5], [undefined], 'ab', { 0: perSecond(10), length: 1 }]) {
      expect(() => checkedLimits(wrong as never, 'limits()')).toThrow(
        expect.objectContaining({ code: 'RAIL_BAD_LIMITS' }),
      )
    }
    expect(() => checkedLimits(undefined as never, 'limits()')).toThrow(
      expect.objectContaining({ code: 'RAIL_NO_LIMITS' }),
    )
  })
})
