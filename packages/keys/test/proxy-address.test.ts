import { addressKey } from '@rail/core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { apiKeys, hashKey } from '../src/index.js'

const keys = { [hashKey('key')]: { id: 'acme' } }

/** The errors that are reported for requests from one address, each with its own `X-Forwarded-For`. */
function reported(from: string | null, ...forwarded: (string | undefined)[]): unknown[] {
  const errors: unknown[] = []
  const known = apiKeys({ keys, address: () => from, onError: (error) => errors.push(error) })
  for (const header of forwarded)
    known.check({ headers: { 'x-api-key': 'key', ...(header !== undefined && { 'x-forwarded-for': header }) } })
  return errors
}

describe('an X-Forwarded-For that is ignored', () => {
  test.each([
    ['10.0.0.2', '203.0.113.7'],
    ['172.16.0.1', '203.0.113.7'],
    ['172.31.255.255', '203.0.113.7'],
    ['192.168.1.1', '203.0.113.7'],
    ['100.64.0.9', '203.0.113.7'],
    ['169.254.8.8', '203.0.113.7'],
    ['127.0.0.1', '203.0.113.7'],
    ['::ffff:10.0.0.2', '203.0.113.7'],
    ['::1', '2001:db8::7'],
    ['fd00:1:2:3::4', '2001:db8::7'],
    ['fe80::1', '2001:db8::7'],
    // The second of two proxies: the first appended its address.
    ['10.0.0.2', '203.0.113.7, 10.0.0.2'],
  ])('is reported behind %s for %s, as an address and as its key, once', (from, header) => {
    for (const address of [from, addressKey(from)]) {
      expect(reported(address, undefined, header, header)).toEqual([
        expect.objectContaining({ code: 'RAIL_PROXY_ADDRESS', message: expect.stringContaining(address) }),
      ])
    }
  })

  test.each([
    ['a public address', '203.0.113.7', '198.51.100.1'],
    ['a public IPv6 address', '2001:db8::7', '198.51.100.1'],
    ['addresses beside the private networks', '172.32.0.1', '203.0.113.7'],
    ['a client in a private network, whom the header names first', '10.0.0.2', '10.0.0.2, 10.9.9.9'],
    ['such a client with IPv6', 'fd00:1:2:3::4', 'fd00:1:2:3::4'],
    ['a key that is no address', 'office-10.0.0.2', '203.0.113.7'],
    ['no header', '10.0.0.2', undefined],
    ['an empty header', '10.0.0.2', ''],
  ])('is not reported for %s', (_name, from, header) => {
    expect(reported(from, header)).toEqual([])
    if (!from.startsWith('office')) expect(reported(addressKey(from), header)).toEqual([])
  })

  test('is not reported where failed checks are not counted', () => {
    expect(reported(null, '203.0.113.7')).toEqual([])
  })

  test.each([
    () => {
      throw new Error('no log')
    },
    () => Promise.reject(new Error('no log')),
  ])('an error of onError does not reach the request', async (onError) => {
    const known = apiKeys({ keys, address: () => '10.0.0.2', onError })
    const request = { headers: { 'x-api-key': 'key', 'x-forwarded-for': '203.0.113.7' } }
    expect(known.check(request)).toEqual({ identity: { id: 'acme' } })
    await new Promise(setImmediate)
  })

  describe('without onError', () => {
    afterEach(() => vi.restoreAllMocks())

    test('is a warning of the process', () => {
      const warning = vi.spyOn(process, 'emitWarning').mockReturnValue()
      const known = apiKeys({ keys, address: () => '10.0.0.2' })
      known.check({ headers: { 'x-api-key': 'key', 'x-forwarded-for': '203.0.113.7' } })
      expect(warning).toHaveBeenCalledWith(expect.objectContaining({ code: 'RAIL_PROXY_ADDRESS' }))
    })
  })
})
