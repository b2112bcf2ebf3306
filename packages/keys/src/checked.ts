import type { Field } from '@rail/core'

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
