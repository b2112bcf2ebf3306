import { expect, test } from 'vitest'
import { createKeptKeys } from '../../src/memory/kept-key.js'

const nameOf = createKeptKeys()
const x = 'x'.repeat(300)

test('keys of 256 characters are their own names, and longer ones have short names', () => {
  expect(nameOf(x.slice(0, 256))).toBe(x.slice(0, 256))
  for (const length of [257, 300, 15_000]) expect(nameOf('x'.repeat(length))).toMatch(/^\d+( \d{1,10}){4}$/)
})

test('a name is the same each time, however the key was put together, and another in another store', () => {
  const parts = ['x'.repeat(100), 'x'.repeat(200)].join('')
  expect(nameOf(parts)).toBe(nameOf(x))
  expect(createKeptKeys()(x)).not.toBe(nameOf(x))
})

test('keys that differ in one character, at any place and of any width, or in length, differ in every word of the name', () => {
  const keys = [x, `${x}x`, `${x}\0`, `${x}\0\0`, `${x}xx`]
  for (const character of ['y', '\0', 'ÿ', 'Ā', '日', '\ud83d', '\ude00', '\uffff']) {
    for (const place of [0, 1, 2, 3, 150, 151, 298, 299]) keys.push(x.slice(0, place) + character + x.slice(place + 1))
  }
  // The same bits in other places.
  keys.push(`ab${x}`, `ba${x}`, `\u6261${x}`, `a\0${x}`, `\0a${x}`)
  const names = keys.map((key) => nameOf(key).split(' ').slice(1))
  for (const place of [0, 1, 2, 3]) expect(new Set(names.map((words) => words[place])).size).toBe(keys.length)
})

test('the words of names are spread evenly, for keys that count up', () => {
  const counts = Array.from({ length: 4 }, () => new Array<number>(64).fill(0))
  for (let index = 0; index < 20_000; index++) {
    const words = nameOf(`${x}${index}`).split(' ').slice(1)
    for (const [place, word] of words.entries()) {
      const count = counts[place] as number[]
      count[Number(word) & 63] = (count[Number(word) & 63] as number) + 1
    }
  }
  // 312.5 on average, with a deviation of 17.5.
  for (const count of counts) {
    expect(Math.max(...count)).toBeLessThan(430)
    expect(Math.min(...count)).toBeGreaterThan(195)
  }
})
