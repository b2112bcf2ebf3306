import { checkOption, checkOptionNames } from '../base/check.js'
import { RailError, shown } from '../base/errors.js'
import { parseAddress, v6Text } from './address.js'

/** Ways to carry IPv4 in IPv6 in which the address tells the IPv4 one, and so who is behind it. */
export type Tunnel = 'nat64' | '6to4' | 'teredo'

/** How addresses become keys. */
export interface AddressKeyOptions {
  /**
   * So many leading bits of an IPv6 address are one customer: 1 to 128. A home or a server has a whole /64 to itself, and
   * often a /56 or /48; with 128 it has 2^64 buckets. @default 64
   */
  readonly v6Prefix?: number | undefined
  /**
   * Addresses of these kinds are counted as the IPv4 address in them: NAT64 (`64:ff9b::/96`, RFC 6052), 6to4
   * (`2002::/16`, RFC 3056), Teredo (`2001::/32`, RFC 4380). Only where your clients come that way: without it all of
   * NAT64 is one /64, one bucket. @default []
   */
  readonly unwrap?: readonly Tunnel[] | undefined
}

/**
 * The key of an address: `address:203.0.113.7`, or an IPv6 address by its prefix, `address:2001:db8:1:2::/64`. Never what
 * an id of a customer looks like. One address has one key however it is written: IPv4 in IPv6 (`::ffff:203.0.113.7`, what
 * a dual-stack socket tells) is IPv4, ports and zones are dropped, letters are lower case (RFC 5952).
 *
 * @example
 * rateLimit({ identify: (req) => addressKey(req.ip), limits: [perMinute(60)] })
 *
 * @throws RailError `RAIL_BAD_ADDRESS` for anything that is no address, `undefined` too: it is never one bucket for all
 * whose address is not known. `RAIL_BAD_OPTION`, `RAIL_UNKNOWN_OPTION` for wrong options
 */
export function addressKey(ip: string | undefined, options: AddressKeyOptions = {}): string {
  checkOptionNames(options, ['v6Prefix', 'unwrap'], 'addressKey()')
  const { v6Prefix = 64, unwrap = [] } = options
  checkOption('v6Prefix', v6Prefix, 'a whole number of bits from 1 to 128', isPrefix)
  checkOption('unwrap', unwrap, "an array of 'nat64', '6to4' and 'teredo'", areTunnels)
  const address = typeof ip === 'string' ? parseAddress(ip) : undefined
  if (address === undefined) throw notAnAddress(ip)
  const v4 = v4In(address, unwrap)
  return `address:${v4 === undefined ? prefixText(address, v6Prefix) : v4.join('.')}`
}

function notAnAddress(ip: unknown): RailError {
  const told =
    ip === undefined || ip === null || ip === ''
      ? `got ${shown(ip)}. Behind a proxy the address is in X-Forwarded-For, which your framework reads only when told which proxies to trust ` +
        '(Express "trust proxy", Fastify trustProxy, Koa app.proxy); a client that has gone away has none either. ' +
        'Return null from identify only where a request without an address is to be unlimited.'
      : `got ${shown(ip)}. Give the address alone, as text.`
  return new RailError('RAIL_BAD_ADDRESS', `addressKey() takes one IPv4 or IPv6 address, ${told}`)
}

/** The IPv4 address that stands for this one; an IPv4-mapped one always does (RFC 4291 section 2.5.5.2). */
function v4In(groups: readonly number[], unwrap: readonly Tunnel[]): number[] | undefined {
  const starts = (...prefix: number[]): boolean => prefix.every((group, index) => groups[index] === group)
  if (starts(0, 0, 0, 0, 0, 0xffff)) return bytes(groups[6], groups[7])
  if (unwrap.includes('nat64') && starts(0x64, 0xff9b, 0, 0, 0, 0)) return bytes(groups[6], groups[7])
  if (unwrap.includes('6to4') && starts(0x2002)) return bytes(groups[1], groups[2])
  // Teredo's is inverted, so that translators on the way leave it alone.
  if (unwrap.includes('teredo') && starts(0x2001, 0)) return bytes(groups[6], groups[7]).map((byte) => byte ^ 0xff)
  return undefined
}

function bytes(high = 0, low = 0): number[] {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff]
}

function prefixText(groups: readonly number[], bits: number): string {
  const kept = groups.map((group, index) => {
    const inGroup = Math.min(Math.max(bits - index * 16, 0), 16)
    return group & (0xffff << (16 - inGroup)) & 0xffff
  })
  return `${v6Text(kept)}/${bits}`
}

const isPrefix = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 128
const areTunnels = (value: unknown): boolean =>
  Array.isArray(value) && value.every((tunnel) => ['nat64', '6to4', 'teredo'].includes(tunnel))
