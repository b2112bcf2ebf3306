import { perMinute } from '@rail/core'
import { describe, expect, test } from 'vitest'
import { apiKeys, hashKey } from '../src/index.js'

const KEY = 'key_of_acme'
const keys = { [hashKey(KEY)]: { id: 'acme' } }
const address = () => '192.0.2.1'

describe('apiKeys', () => {
  test.each([
    ['no address', { keys }, 'address'],
    ['neither keys nor lookup', { address }, 'keys or lookup'],
    ['both', { keys, lookup: (): null => null, address }, 'keys or lookup'],
    ['keys that are not hashed', { keys: { [KEY]: { id: 'acme' } }, address }, 'keys'],
    ['an unknown header', { keys, address, header: 'cookie' }, 'header'],
    ['no options', undefined, 'apiKeys()'],
    ['an address that is not a function', { keys, address: '192.0.2.1' }, 'address'],
    ['a lookup that is not a function', { lookup: {}, address }, 'lookup'],
    ['keys in a Set, where every key would be unknown', { keys: new Set(Object.keys(keys)), address }, 'keys'],
    ['keys that are null', { keys: null, address }, 'keys'],
    ['failures that are one limit', { keys, address, failures: perMinute(10) }, 'failures'],
    ['failures that count requests', { keys, address, failures: [perMinute(1, { counts: 'requests' })] }, 'failures'],
    ['a clock that is not a function', { keys, address, clock: 0 }, 'clock'],
    ['an onError that is not a function', { keys, address, onError: 'log' }, 'onError'],
    ['an unknown whenBlocked', { lookup: (): null => null, address, whenBlocked: 'allow' }, 'whenBlocked'],
    ['whenBlocked beside keys, which always pass', { keys, address, whenBlocked: 'lookup' }, 'whenBlocked'],
    ['a whenBlocked that is null', { lookup: (): null => null, address, whenBlocked: null }, 'whenBlocked'],
  ])('%s is an error at the start', (_name, options, subject) => {
    expect(() => apiKeys(options as never)).toThrow(
      expect.objectContaining({ code: 'RAIL_BAD_OPTION', message: expect.stringContaining(subject) }),
    )
  })

  test.each([
    ['an unknown option', { failure: [] }, 'RAIL_UNKNOWN_OPTION'],
    ['a failures limit written by hand', { failures: [{ ...perMinute(5), grain: 7 }] }, 'RAIL_BAD_LIMITS'],
    ['failures that are not limits', { failures: [10] }, 'RAIL_BAD_LIMITS'],
    ['failures of one name', { failures: [perMinute(3), perMinute(5)] }, 'RAIL_DUPLICATE_NAME'],
  ])('%s is an error at the start', (_name, wrong, code) => {
    expect(() => apiKeys({ keys, address, ...wrong } as never)).toThrow(expect.objectContaining({ code }))
  })

  test('an error says what was expected, what came and what to write', () => {
    const inMap = { keys: new Map(Object.entries(keys)), address }
    expect(() => apiKeys(inMap as never)).toThrow(
      'keys: expected an object of hash and identity, got a Map. Write lookup: (hash) => map.get(hash) ?? null.',
    )
  })

  test('an error about a key that is not hashed does not show the key', () => {
    expect(() => apiKeys({ keys: { [KEY]: { id: 'acme' } }, address })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(KEY) }),
    )
  })

  test.each([
    ['an array', []],
    ['an object without an id', {}],
    ['an empty string', ''],
    ['true', true],
    ['undefined', undefined],
  ])('an identity that is %s is an error at the start', (_name, identity) => {
    expect(() => apiKeys({ keys: { [hashKey(KEY)]: identity as never }, address })).toThrow(
      expect.objectContaining({ code: 'RAIL_BAD_OPTION', message: expect.stringContaining('an identity') }),
    )
  })

  test('each option is read once: what was checked is used', () => {
    const reads: string[] = []
    const options = new Proxy(
      { keys, address, failures: [perMinute(1)], clock: () => 0 },
      {
        get(target, name, receiver) {
          reads.push(String(name))
          return Reflect.get(target, name, receiver)
        },
      },
    )
    apiKeys(options)
    expect(reads.length).toBe(new Set(reads).size)
  })

  test('changes of the options after the start change nothing', () => {
    const table: Record<string, { id: string }> = { ...keys }
    const failures = [perMinute(1)]
    const known = apiKeys({ keys: table, address, failures, clock: () => 0 })
    table[hashKey('key_of_globex')] = { id: 'globex' }
    failures.pop()
    const statusOf = (key: string) => known.check({ headers: { 'x-api-key': key } })
    expect([statusOf('key_of_globex'), statusOf('key_of_globex')]).toMatchObject([
      { refusal: { status: 401 } },
      { refusal: { status: 429 } },
    ])
  })
})
