import { describe, expect, test } from 'vitest'
import { heapBytes } from '../../core/test/heap.js'
import { createKey, hashKey } from '../src/index.js'

describe('createKey and hashKey', () => {
  test('returns its prefix with 256 bits in base64url, and the hash', () => {
    const { key, hash } = createKey('rail_live_')
    expect(key).toMatch(/^rail_live_[A-Za-z0-9_-]{43}$/)
    expect(hash).toBe(hashKey(key))
    expect(createKey().key).not.toBe(createKey().key)
  })

  test.each(['acme ', 'acmé_', 'acme\n', 7, null])(
    'a prefix of %j is an error: a header cannot contain the key',
    (prefix) => {
      expect(() => createKey(prefix as never)).toThrow(expect.objectContaining({ code: 'RAIL_BAD_OPTION' }))
    },
  )

  test('writes the bytes as the platform does', () => {
    for (let i = 0; i < 100; i++) {
      const text = createKey('').key
      expect(Buffer.from(text, 'base64url').toString('base64url')).toBe(text)
      expect(Buffer.from(text, 'base64url')).toHaveLength(32)
    }
  })

  test('hashes as FIPS 180-4 does', () => {
    expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })

  test.each([undefined, null, '', 7, ['key'], new Uint8Array(3)])('a key of %j is an error, not a hash', (key) => {
    expect(() => hashKey(key as never)).toThrow(expect.objectContaining({ code: 'RAIL_BAD_OPTION' }))
  })

  test.each([
    ['hashes', (index: number) => hashKey(`key_${index}`)],
    ['hashes of new keys', () => createKey().hash],
  ])('%s take little more memory than their 64 characters', (_name, make) => {
    const COUNT = 20_000
    const texts = new Map<number, string>()
    for (let index = 0; index < COUNT; index++) texts.set(index, '')
    make(0)
    const before = heapBytes()
    for (let index = 0; index < COUNT; index++) texts.set(index, make(index))
    expect((heapBytes() - before) / COUNT).toBeLessThan(200)
    expect(texts.size).toBe(COUNT)
  })
})
