import { type HeaderStyle, type Limit, perHour, perMinute, perSecond } from '@rail/core'

/**
 * What stands in front of a server's route. `no-op` is a middleware that does nothing, `fields` one that sets two fields of limits
 * that never change, `static 429` one that refuses each request with a constant answer: no limiter can do less. `one` and `peer`
 * have one limit each and send the same number of fields; `two` and `peer twice` have two each.
 */
export type Front =
  | 'bare'
  | 'no-op'
  | 'fields'
  | 'one'
  | 'two'
  | 'peer'
  | 'peer twice'
  | 'static 429'
  | 'one, refused'
  | 'peer, refused'

export const FRONTS: readonly Front[] = [
  'bare',
  'no-op',
  'fields',
  'one',
  'two',
  'peer',
  'peer twice',
  'static 429',
  'one, refused',
  'peer, refused',
]

export const isRefused = (front: Front): boolean => front.endsWith('refused') || front === 'static 429'

/** The limits of Rail in front of a route: some that no machine reaches, and one that each customer reaches with its first request. */
export const limitsOf = (front: Front): readonly Limit[] => {
  if (isRefused(front)) return [perHour(1)]
  return front === 'two' ? [perSecond(10_000_000), perMinute(100_000_000)] : [perMinute(100_000_000)]
}

/** The requests that the peer allows in an hour. */
export const peerMost = (front: Front): number => (isRefused(front) ? 1 : 1e9)

export const HOUR_MS = 3_600_000
export const POLICY = '"per_minute";q=100000000;w=60'
export const STATE = '"per_minute";r=99999999;t=1'
export const REFUSAL = '{"error":"rate_limited","retry_after":3600}'

/** The header that names a customer, in lower case. */
export const CUSTOMER = 'x-customer'

/** A style for `one`, so that it sends as many fields as the peer; two limits are sent as by default. */
export const styleFor = (front: Front, ofOne: HeaderStyle): HeaderStyle | undefined =>
  front === 'two' ? undefined : ofOne
