import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { describe, expect, it } from 'vitest'
import { type AddressKeyOptions, addressKey, createLimiter, perMinute, RailError } from '../../src/index.js'

describe('the key of an address', () => {
  it.each([
    { ip: '203.0.113.7', is: 'address:203.0.113.7' },
    { ip: '0.0.0.0', is: 'address:0.0.0.0' },
    { ip: '255.255.255.255', is: 'address:255.255.255.255' },
    { ip: '2001:db8:1:2:3:4:5:6', is: 'address:2001:db8:1:2::/64' },
    { ip: '2001:DB8:1:2::', is: 'address:2001:db8:1:2::/64' },
    { ip: '2001:0db8:0001:0002:0000:0000:0000:0001', is: 'address:2001:db8:1:2::/64' },
    { ip: '2001:db8::1', is: 'address:2001:db8::/64' },
    { ip: '::1', is: 'address:::/64' },
    { ip: '::', is: 'address:::/64' },
    { ip: '1:2:3:4:5:6:7::', is: 'address:1:2:3:4::/64' },
    { ip: '2001:db8:0:1::5', is: 'address:2001:db8:0:1::/64' },
  ])('of $ip is $is', ({ ip, is }) => {
    expect(addressKey(ip)).toBe(is)
  })

  it.each([
    '::ffff:203.0.113.7',
    '::FFFF:203.0.113.7',
    '::ffff:cb00:7107',
    '0:0:0:0:0:ffff:cb00:7107',
    '0000:0000:0000:0000:0000:ffff:203.0.113.7',
    '203.0.113.7:54321',
    '[::ffff:203.0.113.7]:443',
    '::ffff:203.0.113.7%eth0',
  ])('of IPv4 is the same in every notation: %s', (ip) => {
    expect(addressKey(ip)).toBe('address:203.0.113.7')
  })

  it.each(['[2001:db8::1]', '[2001:db8::1]:443', '2001:db8::1%eth0', '[2001:db8::1%25eth0]:443', '2001:db8::1%0'])(
    'has no port and no zone: %s',
    (ip) => {
      expect(addressKey(ip)).toBe('address:2001:db8::/64')
    },
  )

  it.each([
    { v6Prefix: 1, is: 'address:8000::/1' },
    { v6Prefix: 32, is: 'address:ffff:ffff::/32' },
    { v6Prefix: 48, is: 'address:ffff:ffff:ffff::/48' },
    { v6Prefix: 56, is: 'address:ffff:ffff:ffff:ff00::/56' },
    { v6Prefix: 63, is: 'address:ffff:ffff:ffff:fffe::/63' },
    { v6Prefix: 127, is: 'address:ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe/127' },
    { v6Prefix: 128, is: 'address:ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128' },
  ])('of IPv6 keeps a prefix of $v6Prefix bits: $is', ({ v6Prefix, is }) => {
    expect(addressKey('ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', { v6Prefix })).toBe(is)
  })

  it('of IPv4 is whole, whatever the prefix of IPv6', () => {
    expect(addressKey('::ffff:203.0.113.7', { v6Prefix: 16 })).toBe('address:203.0.113.7')
  })

  it.each([
    { kind: 'nat64', ip: '64:ff9b::203.0.113.7', wrapped: 'address:64:ff9b::/64' },
    { kind: '6to4', ip: '2002:cb00:7107:1:2:3:4:5', wrapped: 'address:2002:cb00:7107:1::/64' },
    // RFC 4380 section 4: server 65.54.227.120, client 203.0.113.7, inverted.
    { kind: 'teredo', ip: '2001:0:4136:e378:8000:63bf:34ff:8ef8', wrapped: 'address:2001:0:4136:e378::/64' },
  ] as const)('of $kind is the IPv4 address in it, if the option says so', ({ kind, ip, wrapped }) => {
    expect(addressKey(ip, { unwrap: [kind] })).toBe('address:203.0.113.7')
    expect(addressKey(ip)).toBe(wrapped)
    for (const other of ['nat64', '6to4', 'teredo'] as const) {
      if (other !== kind) expect(addressKey(ip, { unwrap: [other] })).toBe(wrapped)
    }
  })

  it.each(['64:ff9b:1::203.0.113.7', '64:ff9b::1:203.0.113.7', '2001:1::1', '::203.0.113.7', '::fffe:203.0.113.7'])(
    'of %s, which only looks like one of those kinds, stays IPv6',
    (ip) => {
      expect(addressKey(ip, { unwrap: ['nat64', '6to4', 'teredo'] })).toMatch(/::\/64$/)
    },
  )
})

describe('a value that is not an address', () => {
  it.each([
    '',
    ' ',
    'unknown',
    'localhost',
    '203.0.113',
    '203.0.113.7.1',
    '203.0.113.256',
    '203.0.113.07',
    '0x7f.0.0.1',
    '2130706433',
    '12',
    '1234',
    '12:34',
    '203.0.113.7 ',
    ' 203.0.113.7',
    '203.0.113.7\n',
    '203.0.113.7, 198.51.100.1',
    '203.0.113.7:',
    '203.0.113.7:http',
    '203.0.113.7:123456',
    '[203.0.113.7]',
    '[203.0.113.7]:80',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1::2::3',
    ':::',
    ':1::',
    '1:',
    ':1',
    '1:2:3:4:5:6:7:8::',
    '12345::',
    'g::',
    '::1%',
    '::1%eth0, 203.0.113.7',
    '203.0.113.7%eth0',
    '[::1',
    '::1]',
    '[::1]:',
    '[::1]x',
    '[]',
    '1.2.3.4::',
    '::1.2.3.4:5',
    '::ffff:203.0.113.07',
    '::ffff:203.0.113',
    '2001:db8::/64',
    '+1::',
    '１.2.3.4',
    '203.0.113.7\u0000',
  ])('is refused: %j', (ip) => {
    expect(() => addressKey(ip)).toThrow(expect.objectContaining({ code: 'RAIL_BAD_ADDRESS' }))
  })

  it.each([null, 7, {}, ['203.0.113.7'], Symbol('a'), () => '203.0.113.7'])('is refused: %o', (ip) => {
    expect(() => addressKey(ip as never)).toThrow(RailError)
  })

  it('of undefined has an error that names the setting for proxies', () => {
    expect(() => addressKey(undefined)).toThrow(
      'addressKey(): expected an IP address, got undefined. Behind a proxy set trust proxy (Express), trustProxy (Fastify) or app.proxy (Koa). See RAIL_BAD_ADDRESS.',
    )
  })

  it('is refused quickly, and its message is short, at any length', () => {
    const hostile = ['1', '1.', ':', '::', '[', ']', '%', 'f:', '0', '1.2.3.4:', ' ', '[::1]:', '\u0000'].map((part) =>
      part.repeat(10_000 / part.length),
    )
    for (const ip of [...hostile, `::1%${'z'.repeat(10_000)}`, `[${':'.repeat(10_000)}]`]) {
      expect(() => addressKey(ip)).toThrow(expect.objectContaining({ code: 'RAIL_BAD_ADDRESS' }))
      try {
        addressKey(ip)
      } catch (error) {
        expect((error as Error).message.length).toBeLessThan(500)
      }
    }
  })

  it('is an error of its request, and charges nothing', async () => {
    const limiter = createLimiter<{ ip?: string }>({ identify: ({ ip }) => addressKey(ip), limits: [perMinute(1)] })
    expect(() => limiter.take({})).toThrow(expect.objectContaining({ code: 'RAIL_BAD_ADDRESS' }))
    expect((await limiter.take({ ip: '203.0.113.7' })).refusal).toBeUndefined()
    expect((await limiter.take({ ip: '::ffff:203.0.113.7' })).refusal).toBeDefined()
  })
})

it.each([
  { options: { v6Prefix: 0 }, code: 'RAIL_BAD_OPTION' },
  { options: { v6Prefix: 129 }, code: 'RAIL_BAD_OPTION' },
  { options: { v6Prefix: 64.5 }, code: 'RAIL_BAD_OPTION' },
  { options: { v6Prefix: '64' }, code: 'RAIL_BAD_OPTION' },
  { options: { v6Prefix: Number.NaN }, code: 'RAIL_BAD_OPTION' },
  { options: { unwrap: true }, code: 'RAIL_BAD_OPTION' },
  { options: { unwrap: ['6in4'] }, code: 'RAIL_BAD_OPTION' },
  { options: { prefix: 64 }, code: 'RAIL_UNKNOWN_OPTION' },
  { options: 64, code: 'RAIL_BAD_OPTION' },
])('a wrong option is an error: $options', ({ options, code }) => {
  expect(() => addressKey('::1', options as AddressKeyOptions)).toThrow(expect.objectContaining({ code }))
})

describe('ipaddr.js, as an oracle,', () => {
  const group = fc.oneof(fc.constantFrom(0, 0, 1, 0xffff, 0x2001, 0x64, 0xff9b), fc.nat(0xffff))
  const groups = fc.oneof(
    fc.array(group, { minLength: 8, maxLength: 8 }),
    fc.tuple(group, group).map((two) => [0, 0, 0, 0, 0, 0xffff, ...two]),
  )

  /** The key of an address according to the oracle. */
  function expected(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string {
    if (address.kind() === 'ipv4') return `address:${address.toString()}`
    const v6 = address as ipaddr.IPv6
    if (v6.isIPv4MappedAddress()) return `address:${v6.toIPv4Address().toString()}`
    return `address:${ipaddr.IPv6.networkAddressFromCIDR(`${v6.toString()}/${bits}`).toRFC5952String()}/${bits}`
  }

  it('gives the same key for every address in every notation', () => {
    const notation = fc.record({
      upper: fc.boolean(),
      padded: fc.boolean(),
      shortened: fc.boolean(),
      dotted: fc.boolean(),
    })
    fc.assert(
      fc.property(
        groups,
        notation,
        fc.integer({ min: 1, max: 128 }),
        (parts, { upper, padded, shortened, dotted }, v6Prefix) => {
          const address = new ipaddr.IPv6(parts)
          const last = address.toByteArray().slice(12).join('.')
          const texts = parts.map((part) => part.toString(16).padStart(padded ? 4 : 1, '0'))
          const plain = (dotted ? [...texts.slice(0, 6), last] : texts).join(':')
          const text = shortened ? address.toRFC5952String() : plain
          const written = upper ? text.toUpperCase() : text
          for (const ip of [written, `[${written}]:8080`, `${written}%en0`]) {
            expect(addressKey(ip, { v6Prefix })).toBe(expected(address, v6Prefix))
          }
        },
      ),
      { seed: 5952, numRuns: 3_000 },
    )
  })

  it('agrees on what is an address', () => {
    const nearly = fc
      .array(
        fc.constantFrom(
          ':',
          '::',
          '.',
          '0',
          '1',
          '255',
          '256',
          'ffff',
          'g',
          '%',
          '1.2.3.4',
          '/',
          ' ',
          'a:b',
          '1:2:3:4:5:6:7:8',
        ),
        {
          maxLength: 9,
        },
      )
      .map((parts) => parts.join(''))
    let valid = 0
    fc.assert(
      fc.property(fc.oneof(nearly, fc.ipV4(), fc.ipV6(), fc.string({ maxLength: 40 })), (ip) => {
        // It treats `::1.2.3.4` as IPv4-mapped; by its bits, it is not.
        fc.pre(!/^::\d+\./.test(ip))
        // It accepts fewer names of zones.
        const zoneless = ip.includes(':') ? ip.replace(/%[\w.~-]+$/, '') : ip
        const isValid = ipaddr.IPv4.isValidFourPartDecimal(ip) || (ip.includes(':') && ipaddr.IPv6.isValid(zoneless))
        let key: string | undefined
        try {
          key = addressKey(ip)
        } catch (error) {
          expect(error).toMatchObject({ code: 'RAIL_BAD_ADDRESS' })
        }
        if (isValid) {
          valid++
          expect(key).toBe(expected(ipaddr.parse(zoneless), 64))
        } else if (!/^[\d.]+:\d{1,5}$/.test(ip)) expect(key).toBeUndefined()
      }),
      { seed: 5952, numRuns: 10_000 },
    )
    expect(valid).toBeGreaterThan(1_000)
  })
})
