import { type Decision, type LimitStatus, sentName } from './decision.js'
import type { Field } from './field.js'
import type { Limit } from './limit.js'
import { serializeString } from './structured-field.js'

/** How limits are told to clients. `'draft-11'`: draft-ietf-httpapi-ratelimit-headers, revisions 08 to 11. */
export type HeaderStyle = 'draft-11'

/**
 * The header fields that tell a client where it stands: `RateLimit-Policy` and `RateLimit`, a member for each limit, in
 * the order of the decision. None for a decision without limits.
 *
 * `q` is the burst, `w` the seconds in which an empty bucket fills; `r` the tokens left; `t` whole seconds: for a limit
 * that refused the wait for this cost (left out if it can never fit), for another with nothing left the wait for one
 * token, else the time until it is full.
 *
 * Source: draft-ietf-httpapi-ratelimit-headers-11 sections 3 and 4; RFC 9651.
 */
export function headersFor(decision: Decision): Field[] {
  const { limits } = decision
  if (limits.length === 0) return []
  return [
    { name: 'RateLimit-Policy', value: policyOf(limits), merge: 'list' },
    { name: 'RateLimit', value: stateOf(limits), merge: 'list' },
  ]
}

/** Seconds as sent: whole, rounded up, at most 2^31 - 1 milliseconds, beyond which clients' timers overflow. */
export function wholeSeconds(ms: number): number {
  const seconds = Math.ceil(ms / 1000)
  return seconds < MOST_SECONDS ? seconds : MOST_SECONDS
}

/** The largest number of seconds sent: the longest that a 32-bit timer of milliseconds can wait. */
export const MOST_SECONDS = 2_147_483

function stateOf(limits: readonly LimitStatus[]): string {
  let text = ''
  for (let index = 0; index < limits.length; index++) {
    const status = limits[index] as LimitStatus
    const wait = status.refused || status.remaining === 0 ? status.retryAfterMs : status.fullAfterMs
    if (index > 0) text += ', '
    text += `${memberName(status.limit, status.scope)};r=${status.remaining}`
    if (wait !== Number.POSITIVE_INFINITY) text += `;t=${wholeSeconds(wait)}`
  }
  return text
}

/** Policies seldom change while states always do, so their text is kept, by the first of their limits. */
const policies = new WeakMap<Limit, { readonly limits: readonly LimitStatus[]; readonly text: string }>()

function policyOf(limits: readonly LimitStatus[]): string {
  const first = (limits[0] as LimitStatus).limit
  const known = policies.get(first)
  if (known !== undefined && samePolicies(known.limits, limits)) return known.text
  const text = limits.map(
    ({ limit, scope }) => `${memberName(limit, scope)};q=${limit.burst};w=${windowSeconds(limit)}`,
  )
  const policy = { limits, text: text.join(', ') }
  policies.set(first, policy)
  return policy.text
}

function samePolicies(a: readonly LimitStatus[], b: readonly LimitStatus[]): boolean {
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) {
    const [one, other] = [a[index] as LimitStatus, b[index] as LimitStatus]
    if (one.limit !== other.limit || one.scope !== other.scope) return false
  }
  return true
}

/** Seconds in which an empty bucket fills, rounded up: never 0, which the draft forbids. */
function windowSeconds(limit: Limit): number {
  return Math.ceil(Math.ceil(limit.size / limit.flow) / 1000)
}

const memberNames = new WeakMap<Limit, string>()

function memberName(limit: Limit, scope: string): string {
  if (scope !== '') return serializeString(sentName(scope, limit))
  const known = memberNames.get(limit)
  if (known !== undefined) return known
  const name = serializeString(limit.name)
  memberNames.set(limit, name)
  return name
}
