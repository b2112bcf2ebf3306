import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isList } from '../../src/headers/list-pattern.js'
import { parseList } from '../../src/headers/structured-field.js'

const SEED = 20261130

/** Pieces of structured fields, right and wrong. */
const piece = fc.constantFrom(
  ...['"a"', '"', '\\"', '\\', 'a', 'A', '*', '/', '1', '-1', '1.5', '1.', '123456789012345', '1234567890123456'],
  ...[
    ':YQ==:',
    ':',
    '?1',
    '?2',
    '?',
    '@1',
    '@1.5',
    '@',
    '%"a%20b"',
    '%"',
    '%',
    ';',
    ';q=1',
    '; w=',
    'q',
    '=',
    ',',
    ' ,  ',
  ],
  ...['\t', ' ', '(', ')', '("a" 1)', '( )', '()', 'ü', '"ü"'],
)

test('the pattern decides as the parser does', () => {
  let lists = 0
  const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(text, (text) => {
      // The parser also decodes Display Strings; the pattern takes their percent signs for what they seem to be.
      const parsed = parseList(text) !== undefined
      if (parsed && text !== '') lists++
      expect([text, isList(text)]).toEqual([text, parsed])
    }),
    { seed: SEED, numRuns: 100_000 },
  )
  expect(lists).toBeGreaterThan(5_000)
})

test('a long list, and one that never ends, take no time to speak of', () => {
  expect(isList(Array.from({ length: 20_000 }, () => '"a";q=1').join(', '))).toBe(true)
  expect(isList(`(${'"a" '.repeat(20_000)}`)).toBe(false)
  expect(isList(`"${'a'.repeat(100_000)}`)).toBe(false)
  expect(isList(`a${' '.repeat(100_000)}b`)).toBe(false)
})
