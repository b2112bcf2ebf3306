import { expect, test } from 'vitest'
import { perMinute, perSecond, share } from '../../src/index.js'
import { Layouts } from '../../src/memory/row-layouts.js'

const limits = () => [perSecond(10), perMinute(300)]

test('equal limits in one scope share a layout, whether they are the same array or another', () => {
  const layouts = new Layouts(100)
  const [one] = [limits()]
  const layout = layouts.acquire('', one)
  expect(layouts.acquire('', one)).toBe(layout)
  expect(layouts.acquire('', limits())).toBe(layout)
  expect(layouts.at(layout.id)).toBe(layout)
  expect(layout.keys).toBe(3)
})

test('another scope, order, name, rate, burst or whole burst is another layout', () => {
  const layouts = new Layouts(100)
  const [second, minute] = limits() as [ReturnType<typeof perSecond>, ReturnType<typeof perMinute>]
  const sets = [
    [second, minute],
    [minute, second],
    [second],
    [],
    [perSecond(10, { name: 'other' }), minute],
    [perSecond(11, { burst: 10 }), minute],
    [perSecond(10, { burst: 11 }), minute],
    [share(perSecond(20), 2), minute],
  ]
  const made = sets.flatMap((set) => ['', 'writes'].map((scope) => layouts.acquire(scope, set)))
  expect(new Set(made.map((layout) => layout.id)).size).toBe(16)
  expect(made.map((layout) => layouts.scopes[layout.id])).toEqual(sets.flatMap(() => ['', 'writes']))
})

test('a layout that no key has any more is made again, and its number is used again', () => {
  const layouts = new Layouts(100)
  const set = limits()
  const first = layouts.acquire('', set)
  layouts.acquire('', set)
  layouts.release(first)
  expect(layouts.acquire('', set)).toBe(first)
  layouts.release(first)
  layouts.release(first)
  const other = layouts.acquire('writes', set)
  expect(other.id).toBe(first.id)
  expect(layouts.scopes[other.id]).toBe('writes')
  const again = layouts.acquire('', set)
  expect(again).not.toBe(first)
  expect([again.scope, again.keys, layouts.scopes[again.id]]).toEqual(['', 1, ''])
  expect(layouts.scopes).toHaveLength(2)
})
