import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { shown } from '../src/base/errors.js'
import { RailError } from '../src/index.js'

const text = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

/** The codes, as the type has them: a type cannot be read at run time, its source can. */
const codes = [
  ...(/type RailErrorCode =((?:\s+\| '\w+')+)/.exec(text('../src/base/errors.ts'))?.[1] ?? '').matchAll(/'(\w+)'/g),
].map((match) => match[1] as string)

/** The sections of docs/errors.md about one code each, by their headings. */
const sections = new Map(
  text('../../../docs/errors.md')
    .split(/^### /m)
    .slice(1)
    .map((section) => {
      const [heading = '', ...lines] = section.split('\n')
      return [heading.trim(), lines.join('\n').split(/^## /m)[0]?.trim() ?? ''] as const
    }),
)

describe('docs/errors.md', () => {
  test('has a section for each code, and none for any other', () => {
    expect(codes.length).toBeGreaterThan(16)
    expect([...sections.keys()].toSorted()).toEqual(codes.toSorted())
  })

  test.each(codes)('says how %s comes about and what to do', (code) => {
    expect(sections.get(code)).toMatch(/^\*Cause\.\* \S[\s\S]+^\*Fix\.\* \S/m)
    expect(sections.get(code)?.length).toBeGreaterThan(100)
  })
})

describe('RailError', () => {
  test('is an error with a code, a sentence and a cause', () => {
    const cause = new Error('because')
    const error = new RailError('RAIL_BAD_KEY', 'A sentence.', { cause })
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name: 'RailError', code: 'RAIL_BAD_KEY', message: 'A sentence.', cause })
    expect(String(error)).toBe('RailError: A sentence.')
    expect(new RailError('RAIL_BAD_KEY', 'A sentence.')).not.toHaveProperty('cause')
  })
})

describe('a value in a sentence', () => {
  test.each<[unknown, string]>([
    ['2', '"2"'],
    ['', '""'],
    ['a\n"b"', '"a\\n\\"b\\""'],
    ['x'.repeat(61), `"${'x'.repeat(60)}…"`],
    ['x'.repeat(60), `"${'x'.repeat(60)}"`],
    [2, '2'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [10n, '10n'],
    [true, 'true'],
    [null, 'null'],
    [undefined, 'undefined'],
    [Symbol('x'), 'Symbol(x)'],
    [function named() {}, 'the function named'],
    [(() => () => {})(), 'a function'],
    [[], '[]'],
    [[1, 2], 'an array of 2'],
    [{ a: 1 }, 'an object'],
    [Object.create(null), 'an object'],
    [new Error('gone'), 'the error "gone"'],
  ])('%o is %s', (value, expected) => {
    expect(shown(value)).toBe(expected)
  })
  test('is read no further than it takes: what throws when it is looked at does no harm', () => {
    const touchy = new Proxy(
      {},
      {
        get: () => {
          throw new Error('hands off')
        },
      },
    )
    expect(shown(touchy)).toBe('an object')
  })
})
