import type { Limit } from './limit.js'
import { sentName } from './sent-name.js'
import { windowSeconds } from './window-seconds.js'

/**
 * The most bytes of `RateLimit-Policy` and `RateLimit` together. Proxies keep 4 kB of headers by default, and Node's own
 * client fails on 16 kB.
 */
export const MOST_FIELD_BYTES = 4_096

/** The most bytes that these limits of a scope add to the two fields: `r` has as many digits as `q`, `t` has seven. */
export function fieldBytes(scope: string, limits: readonly Limit[]): number {
  return limits.reduce((sum, limit) => sum + bytesOf(scope, limit), 0)
}

function bytesOf(scope: string, limit: Limit): number {
  const name = sentName(scope, limit).replace(/["\\]/g, '\\$&').length
  const digits = 2 * String(limit.burst).length + String(windowSeconds(limit)).length
  return 2 * name + digits + OTHERS
}

/** Everything but names and numbers of a member of each field, with the comma before it. */
const OTHERS = ', "";q=;w='.length + ', "";r=;t=2147483'.length
