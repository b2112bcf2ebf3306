import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { hashedWord, keyName, slotOf } from '../src/key-name.js'

const nameOf = (scope: string, key: string, tag = key): string => keyName('rail:', tag, scope, key).name

describe('the name of a key', () => {
  test('is plain to read where the customer and the scope are plain', () => {
    expect(keyName('rail:', 'acme', '', 'acme')).toMatchObject({ name: 'rail:{acme}', tag: 'acme' })
    expect(nameOf('writes', 'acme')).toBe('rail:{acme}writes')
    expect(nameOf('', 'user', 'client')).toBe('rail:{client}{user')
  })

  test('has the tag between the first braces, whatever the texts are', () => {
    for (const text of [
      '{',
      '}',
      '{}',
      '{a}',
      'a}{b',
      '\0',
      '\n',
      'é',
      '😀',
      '\ud83d',
      'x'.repeat(10_000),
      '~',
      '~x',
      ' ',
    ]) {
      const { name, tag } = keyName('rail:', text, text, text)
      expect(/^rail:\{([^{}]+)\}/.exec(name)?.[1]).toBe(tag)
      expect(name).toMatch(/^[\x21-\x7e]{1,120}$/)
    }
  })

  test('of a long text has the hash that the documentation says how to make', () => {
    const text = 'ab\ud83d\ude00é'.repeat(20_000)
    const hash = createHash('sha256').update(text, 'utf16le').digest('base64url')
    expect(nameOf('', text)).toBe(`rail:{~${hash}}`)
  })

  test('has the hash of a plain key and tag too where keys are hashed', () => {
    const hash = createHash('sha256').update('acme', 'utf16le').digest('base64url')
    expect(keyName('rail:', 'acme', 'writes', 'acme', hashedWord).name).toBe(`rail:{~${hash}}writes`)
    expect(keyName('rail:', 'acme', '', 'user', hashedWord)).toMatchObject({ tag: `~${hash}` })
    expect(keyName('rail:', 'acme', '', 'user', hashedWord).name).not.toContain('user')
  })

  test('is never that of another scope, key and tag', () => {
    const texts = [
      'a',
      'b',
      '{',
      '}',
      '}{',
      'a}',
      '{a',
      'a}{b',
      '~',
      '~a',
      '\ud83d',
      '\ude00',
      '\ufffd',
      'x'.repeat(64),
    ]
    texts.push('x'.repeat(65), `${'x'.repeat(64)}y`, 'é', 'e\u0301', '', ' ', 'a ', '|', 'a|b')
    const names = new Map<string, string>()
    for (const scope of texts) {
      for (const key of texts) {
        if (key === '') continue
        for (const tag of new Set([key, 'a', '{', 'x'.repeat(65)])) {
          const what = JSON.stringify([scope, key, tag])
          const name = nameOf(scope, key, tag)
          expect(names.get(name), what).toBeUndefined()
          names.set(name, what)
        }
      }
    }
  })
})

// The first is the specification's own; the others are what CLUSTER KEYSLOT of Redis 7.0 answers.
test.each([
  ['123456789', 12_739],
  ['acme', 11_304],
  ['user:1000', 1_649],
  ['~x', 5_321],
  ['a', 15_495],
  ['', 0],
])('a tag "%s" is in slot %i', (tag, slot) => {
  expect(slotOf(tag)).toBe(slot)
})
