import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonFault } from '../../src/file/json-fault.js'
import { readPlanText } from '../../src/file/plan-text.js'

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('the place of what is wrong in a JSON file', () => {
  test.each<[string, string, string]>([
    [
      '// a comment\n{}',
      '1:1',
      'got "//" in place of a value. JSON has no comments: remove it, or save the file as YAML.',
    ],
    [
      '{\n  "plans": {}, // a comment\n  "x": 1\n}',
      '2:16',
      'got "//" in place of a name in quotes. JSON has no comments',
    ],
    ['{\n  "plans": {} /* c */\n}', '2:15', 'got "/*" in place of a comma or the end. JSON has no comments'],
    ['{\n  "plans": {},\n}', '3:1', 'got "}" in place of a name in quotes. Correct it.'],
    ['{ "plans": { "a": [1,] } }', '1:22', 'got "]" in place of a value.'],
    ['{ plans: {} }', '1:3', 'got "plans:" in place of a name in quotes or }.'],
    ["{ 'plans': {} }", '1:3', 'got "\'plans\':" in place of a name in quotes or }.'],
    ['{ "plans" {} }', '1:11', 'got "{}" in place of :.'],
    ['{ "plans": {}', '1:14', 'got the end of the file in place of a comma or the end.'],
    ['{ "plans": 01 }', '1:12', 'got "01" in place of a value.'],
    ['{ "plans": NaN }', '1:12', 'got "NaN" in place of a value.'],
    ['{ "plans": "a\nb" }', '1:12', 'got "\\"a" in place of a value.'],
    ['{} {}', '1:4', 'got "{}" in place of a comma or the end.'],
    ['', '1:1', 'got the end of the file in place of a value.'],
  ])('%j', (text, place, message) => {
    const { problems = [] } = readPlanText(Buffer.from(text), 'json')
    expect(problems.map(({ line, column }) => `${line}:${column}`)).toEqual([place])
    expect(problems[0]?.message).toContain(`expected JSON, ${message}`)
  })

  test('is that of a wrong limit too, below tabs and a byte order mark', () => {
    const text = '\uFEFF{\n\t"plans": {\n\t\t"free": {\n\t\t\t"limits": { "per_second": null }\n\t\t}\n\t}\n}'
    expect(readPlanText(Buffer.from(text), 'json').problems).toMatchObject([{ line: 4, column: 16 }])
  })
})

test('there is a fault exactly where JSON.parse refuses, and everything before it may be right', () => {
  const inserted = fc.constantFrom(
    ',',
    ':',
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    '0',
    '-',
    '.',
    'e',
    ' ',
    '\n',
    '\u0001',
    't',
    '//',
  )
  const mutated = fc
    .tuple(fc.json({ maxDepth: 4 }), fc.nat(), fc.nat({ max: 2 }), fc.oneof(inserted, fc.constant('')))
    .map(([text, at, removed, more]) => {
      const offset = at % (text.length + 1)
      return text.slice(0, offset) + more + text.slice(offset + removed)
    })
  fc.assert(
    fc.property(mutated, (text) => {
      const fault = jsonFault(text)
      expect(fault === undefined, text).toBe(isJson(text))
      if (fault === undefined) return
      expect(fault.offset).toBeLessThanOrEqual(text.length)
      // The text up to there, closed in some way, is no fault earlier than at its end.
      const before = jsonFault(text.slice(0, fault.offset).trimEnd())
      expect(before?.offset ?? fault.offset, text).toBeGreaterThanOrEqual(text.slice(0, fault.offset).trimEnd().length)
    }),
    { seed: 15, numRuns: 2_000 },
  )
})
