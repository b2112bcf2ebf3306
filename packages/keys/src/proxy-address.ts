import type { RailError } from '@rail/core'
import { railError, shown } from '@rail/core/adapter'

/** An address for private networks and loopback (RFC 1918, 4193, 4291, 6598, 3927), as `addressKey` writes it or plain. */
const PRIVATE =
  /^(?:address:)?(?:::ffff:)?((?:10|127|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.[\d.]+|(?:f[cd]|fe[89ab])[\da-f:]+|::1?)(?:\/\d+)?$/i

/**
 * Whether an address is that of a proxy: it is private, and `X-Forwarded-For` begins with another, the client's. All clients
 * behind such a proxy share one limit on failed checks.
 */
export function isOfProxy(from: string, forwardedFor: string | undefined): boolean {
  if (forwardedFor === undefined || forwardedFor === '') return false
  const address = PRIVATE.exec(from)?.[1]
  if (address === undefined) return false
  // The network of an IPv6 address, whose key ends there.
  const network = address.replace(/::$/, ':')
  return !forwardedFor.startsWith(network)
}

export function proxyAddress(from: string): RailError {
  const fact = `address(): expected the client's address, got ${shown(from)}, its proxy's, although X-Forwarded-For is there`
  const toDo = 'Set trust proxy (Express), trustProxy (Fastify) or app.proxy (Koa). See RAIL_PROXY_ADDRESS.'
  return railError('RAIL_PROXY_ADDRESS', fact, toDo)
}
