import { advice } from '../base/advice.js'
import { checkOption, checkOptionNames } from '../base/check.js'
import { type RailError, unexpected } from '../base/errors.js'
import { parseAddress, writeV6 } from './address.js'

/** Ways to carry IPv4 in IPv6 where the IPv6 address contains the client's IPv4 address. */
export type Tunnel = 'nat64' | '6to4' | 'teredo'

/** How addresses become keys. */
export interface AddressKeyOptions {
  /**
   * The number of leading bits of an IPv6 address that are one customer, 1 to 128. A home or a server has a whole /64, and
   * often a /56 or /48; with 128 it has 2^64 buckets. @default 64
   */
  readonly v6Prefix?: number | undefined
  /**
   * The kinds of addresses that are counted as the IPv4 address in them: NAT64 (`64:ff9b::/96`, RFC 6052), 6to4
   * (`2002::/16`, RFC 3056), Teredo (`2001::/32`, RFC 4380). Set it only where clients connect that way: without it, all of
   * NAT64 is one /64 and so one bucket. @default []
   */
  readonly unwrap?: readonly Tunnel[] | undefined
}

/**
 * The key of an address: `address:203.0.113.7`, or the prefix of an IPv6 address, `address:2001:db8:1:2::/64`. It does not
 * look like the id of a customer. One address has one key in every notation: IPv4 in IPv6 (`::ffff:203.0.113.7`, as a
 * dual-stack socket reports it) is IPv4, ports and zones are dropped, letters are lower case (RFC 5952).
 *
 * @example
 * rateLimit({ identify: (req) => addressKey(req.ip), limits: [perMinute(60)] })
 *
 * @throws RailError `RAIL_BAD_ADDRESS` for anything else than an address, `undefined` too: requests without an address never
 * share a bucket. `RAIL_BAD_OPTION`, `RAIL_UNKNOWN_OPTION` for wrong options
 */
export function addressKey(ip: string | undefined, options: AddressKeyOptions = {}): string {
  checkOptionNames(options, ['v6Prefix', 'unwrap'], 'addressKey()')
  const { v6Prefix = 64, unwrap = [] } = options
  checkOption('v6Prefix', v6Prefix, 'a whole number of bits from 1 to 128', isPrefix)
  checkOption('unwrap', unwrap, "an array of 'nat64', '6to4' and 'teredo'", areTunnels)
  const address = typeof ip === 'string' ? parseAddress(ip) : undefined
  if (address === undefined) throw notAnAddress(ip)
  const v4 = v4In(address, unwrap)
  return `address:${v4 === undefined ? prefixOf(address, v6Prefix) : v4.join('.')}`
}

function notAnAddress(ip: unknown): RailError {
  const toDo =
    ip === undefined || ip === null || ip === ''
      ? advice(
          'Behind a proxy set trust proxy (Express), trustProxy (Fastify) or app.proxy (Koa). See RAIL_BAD_ADDRESS.',
        )
      : advice('Give a single address, as a string.')
  return unexpected('RAIL_BAD_ADDRESS', 'addressKey()', 'an IP address', ip, toDo)
}

/** The IPv4 address in this one, if it is counted as that; an IPv4-mapped one always is (RFC 4291 section 2.5.5.2). */
function v4In(groups: readonly number[], unwrap: readonly Tunnel[]): number[] | undefined {
  const starts = (...prefix: number[]): boolean => prefix.every((group, index) => groups[index] === group)
  if (starts(0, 0, 0, 0, 0, 0xffff)) return bytes(groups[6], groups[7])
  if (unwrap.includes('nat64') && starts(0x64, 0xff9b, 0, 0, 0, 0)) return bytes(groups[6], groups[7])
  if (unwrap.includes('6to4') && starts(0x2002)) return bytes(groups[1], groups[2])
  // Teredo inverts the bits, so that address translators do not change them.
  if (unwrap.includes('teredo') && starts(0x2001, 0)) return bytes(groups[6], groups[7]).map((byte) => byte ^ 0xff)
  return undefined
}

function bytes(high = 0, low = 0): number[] {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff]
}

function prefixOf(groups: readonly number[], bits: number): string {
  const kept = groups.map((group, index) => {
    const inGroup = Math.min(Math.max(bits - index * 16, 0), 16)
    return group & (0xffff << (16 - inGroup)) & 0xffff
  })
  return `${writeV6(kept)}/${bits}`
}

const isPrefix = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 128
const areTunnels = (value: unknown): boolean =>
  Array.isArray(value) && value.every((tunnel) => ['nat64', '6to4', 'teredo'].includes(tunnel))
