import type { Field } from './field.js'
import { MOST_SECONDS, wholeSeconds } from './seconds.js'

/** The number of `Retry-After`: whole seconds from 1, with up to `jitter` more at random. */
export function retryAfterOf(waitMs: number, jitter: number): number {
  const least = Math.max(1, wholeSeconds(waitMs))
  if (jitter === 0) return least
  // Spread below the largest number, not cut off at it: else all clients close to it would return at once.
  const most = Math.min(least + jitter, MOST_SECONDS)
  return least + Math.floor(Math.random() * (most - least + 1))
}

/**
 * The headers of a refusal: `Retry-After`, or `x-should-retry: false` where no wait helps, which the clients of several model
 * APIs read. And `Cache-Control`, because no cache may store it (RFC 6585 section 4).
 */
export function refusalFields(retryAfter: number | undefined): readonly Field[] {
  if (retryAfter === undefined) return [NO_RETRY, NO_STORE]
  return [{ name: 'Retry-After', value: String(retryAfter), merge: 'larger' }, NO_STORE]
}

const NO_RETRY: Field = { name: 'x-should-retry', value: 'false', merge: 'replace' }
const NO_STORE: Field = { name: 'Cache-Control', value: 'no-store', merge: 'replace' }
