import { type Decision, type Field, refusalFor } from '@rail/core'
import type { KeyHeader } from './request.js'

/** The result of a check: the identity that the key belongs to, or the refusal to send. */
export type Checked<Identity> =
  | { readonly identity: Identity; readonly refusal?: undefined }
  | { readonly identity?: undefined; readonly refusal: KeyRefusal }

/** The response to a request without a known key. */
export interface KeyRefusal {
  /** 401: no key, or an unknown one. 429: too many unknown keys from this address. */
  readonly status: 401 | 429
  readonly headers: readonly Field[]
  readonly type: string
  readonly body: string
}

const NO_STORE: Field = { name: 'Cache-Control', value: 'no-store', merge: 'replace' }

export function unauthorized(header: KeyHeader | undefined, wasGiven: boolean): KeyRefusal {
  const scheme = header === 'x-api-key' ? 'ApiKey realm="api"' : 'Bearer realm="api"'
  // RFC 6750 section 3.1: no error code when the request has no key.
  const value = wasGiven && header !== 'x-api-key' ? `${scheme}, error="invalid_token"` : scheme
  return {
    status: 401,
    headers: [{ name: 'WWW-Authenticate', value, merge: 'replace' }, NO_STORE],
    type: 'application/json',
    body: JSON.stringify({ error: 'unauthorized' }),
  }
}

export function tooManyFailures(decision: Decision): KeyRefusal {
  const { retryAfter, type, body } = refusalFor(decision)
  return {
    status: 429,
    headers: [{ name: 'Retry-After', value: String(retryAfter), merge: 'larger' }, NO_STORE],
    type,
    body,
  }
}
