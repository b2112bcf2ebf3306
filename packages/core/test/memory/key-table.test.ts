import { describe, expect, test } from 'vitest'
import { type HashSeed, hashOf } from '../../src/memory/key-hash.js'
import { KEPT_WORDS, NO_ROW } from '../../src/memory/key-row.js'
import { KeyTable } from '../../src/memory/key-table.js'
import { randomNumbers } from '../random-numbers.js'

const SEED: HashSeed = { low: 0x0123_4567, high: 0x89ab_cdef | 0 }
const SCOPES = ['', 'writes', 'größe', '😀']

/** The keys of a table in the order of their last use, the least recent first, with their layouts. */
function orderOf(table: KeyTable): number[] {
  const rows: number[] = []
  for (let row = table.oldest(); row !== NO_ROW; row = table.newerThan(row)) rows.push(row)
  return rows
}

/** What a key table does, written with a Map, whose order is that of insertion. */
class Model {
  readonly rows = new Map<string, { key: string; layout: number; block: number }>()

  idOf(layout: number, key: string): string {
    return JSON.stringify([layout, key])
  }

  touch(id: string): void {
    const row = this.rows.get(id)
    this.rows.delete(id)
    if (row !== undefined) this.rows.set(id, row)
  }

  get characters(): number {
    return [...this.rows.values()].reduce((sum, { key }) => sum + key.length, 0)
  }
}

/** Keys that differ in little: long and short, of a byte and wide, in pairs that have the same bytes. */
function keysOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const text = String(index)
    switch (index % 8) {
      case 0:
        return text
      case 1:
        return `customer-${text}`
      case 2:
        return `${'x'.repeat(30)}${text}`
      case 3:
        return `${'x'.repeat(100 + (index % 3))}${text}`
      case 4:
        return `größe-${text}`
      case 5:
        return `日本語-${text}`
      case 6:
        return `${'é'.repeat(39)}${text}`
      default:
        return `😀${text}\ud800`
    }
  })
}

describe.each([
  { rows: 1, keys: 3, steps: 2_000 },
  { rows: 7, keys: 20, steps: 20_000 },
  { rows: 64, keys: 120, steps: 60_000 },
  { rows: 1_000, keys: 1_500, steps: 40_000 },
])('a table of $rows rows under churn', ({ rows, keys: count, steps }) => {
  test('is what a Map is: the same keys, each in its row, in the order of their last use (seed 7)', () => {
    const table = new KeyTable(rows, SCOPES, SEED)
    const model = new Model()
    const rowOf = new Map<string, number>()
    const random = randomNumbers(7)
    const keys = keysOf(count)

    for (let step = 0; step < steps; step++) {
      const key = keys[random(keys.length)] as string
      const layout = random(SCOPES.length)
      const id = model.idOf(layout, key)
      const row = table.find(SCOPES[layout] as string, key)
      if ((row !== NO_ROW) !== model.rows.has(id)) expect.fail(`step ${step}: ${JSON.stringify(key)} in ${layout}`)
      switch (random(4)) {
        case 0:
          if (row === NO_ROW) break
          table.remove(row)
          model.rows.delete(id)
          rowOf.delete(id)
          break
        case 1:
          if (row === NO_ROW) break
          table.touch(row)
          model.touch(id)
          break
        default: {
          if (row !== NO_ROW) break
          if (table.size === rows) {
            const [oldest] = model.rows.keys()
            if (table.oldest() !== rowOf.get(oldest as string)) expect.fail(`step ${step}: the oldest is ${oldest}`)
            table.remove(table.oldest())
            model.rows.delete(oldest as string)
            rowOf.delete(oldest as string)
          }
          // Between being looked for and being inserted others may be looked for, found or not.
          if (random(3) === 0) table.find(SCOPES[random(SCOPES.length)] as string, keys[random(keys.length)] as string)
          rowOf.set(id, table.insert(key, layout, step))
          model.rows.set(id, { key, layout, block: step })
        }
      }
      if (step % 500 !== 0 && step !== steps - 1) continue
      expect([table.size, table.characters]).toEqual([model.rows.size, model.characters])
      expect(orderOf(table)).toEqual([...model.rows.keys()].map((each) => rowOf.get(each)))
      expect(new Set(rowOf.values()).size).toBe(model.rows.size)
      const found = [...model.rows.values()].map(({ key, layout }) => table.find(SCOPES[layout] as string, key))
      expect(found.map((row) => [table.layoutOf(row), table.blockOf(row)])).toEqual(
        [...model.rows.values()].map(({ layout, block }) => [layout, block]),
      )
    }
  })
})

describe.each([
  { kind: 'short keys', start: 'customer-' },
  { kind: 'keys longer than a row has room for, alike as far as it has', start: 'x'.repeat(60) },
])('$kind whose hashes are the same', ({ start }) => {
  /** Keys of one table that collide, found by trying many: by the birthday bound, some of 200,000 do. */
  const colliding = (() => {
    const byHash = new Map<number, string>()
    const words = new Int32Array(1)
    const pairs: [string, string][] = []
    for (let index = 0; index < 200_000; index++) {
      const key = `${start}${String(index).padStart(6, '0')}`
      const hash = hashOf(key, SEED, words)
      const other = byHash.get(hash)
      if (other === undefined) byHash.set(hash, key)
      else pairs.push([other, key])
    }
    return pairs
  })()

  test('are found for this test', () => {
    expect(colliding.length).toBeGreaterThan(1)
  })

  test.each(colliding)('are not confused, whichever is removed first: %s and %s', (one, other) => {
    for (const [first, second] of [
      [one, other],
      [other, one],
    ] as const) {
      const table = new KeyTable(4, SCOPES, SEED)
      const row = table.insert(first, 0, 1)
      expect([table.find('', first), table.find('', second)]).toEqual([row, NO_ROW])
      const secondRow = table.insert(second, 0, 2)
      expect([table.find('', first), table.find('', second)]).toEqual([row, secondRow])
      table.remove(row)
      expect([table.find('', first), table.find('', second)]).toEqual([NO_ROW, secondRow])
      table.remove(secondRow)
      expect([table.find('', first), table.find('', second), table.size]).toEqual([NO_ROW, NO_ROW, 0])
    }
  })
})

test('a row that moves to another layout of its scope is still found', () => {
  const table = new KeyTable(4, ['writes', 'writes'], SEED)
  const row = table.insert('acme', 0, 5)
  table.move(row, 1, 6)
  expect([table.find('writes', 'acme'), table.layoutOf(row), table.blockOf(row)]).toEqual([row, 1, 6])
  expect(table.find('', 'acme')).toBe(NO_ROW)
})

describe('keys of one home', () => {
  /** Keys whose hashes agree in their lower bits, and so have one home in an index of so many slots. */
  function keysOfOneHome(count: number, slots: number): string[] {
    const words = new Int32Array(KEPT_WORDS)
    const home = hashOf('key_0', SEED, words) & (slots - 1)
    const keys: string[] = []
    for (let index = 0; keys.length < count; index++) {
      const key = `key_${index}`
      if ((hashOf(key, SEED, words) & (slots - 1)) === home) keys.push(key)
    }
    return keys
  }

  test.each([
    { where: 'near it', count: 60 },
    { where: 'so far from it that the index has too few bits', count: 300 },
  ])('are all found after any are removed: $where', ({ count }) => {
    const table = new KeyTable(700, [''], SEED) // an index of 1,024 slots
    const others = Array.from({ length: 300 }, (_, index) => `other_${index}`)
    const keys = keysOfOneHome(count, 1_024).flatMap((key, index) => [key, ...others.slice(index, index + 1)])
    const rows = new Map(keys.map((key) => [key, table.insert(key, 0, 0)]))
    for (const [index, gone] of keys.entries()) {
      if (index % 3 !== 0) continue
      table.remove(rows.get(gone) as number)
      rows.delete(gone)
      expect(table.find('', gone)).toBe(NO_ROW)
      if (index % 15 === 0) for (const [key, row] of rows) expect(table.find('', key)).toBe(row)
    }
    for (const [key, row] of rows) expect(table.find('', key)).toBe(row)
    expect(table.size).toBe(rows.size)
  })
})
