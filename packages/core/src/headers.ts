import { type Decision, type LimitStatus, sentName } from './decision.js'
import type { Field } from './field.js'
import { type HeaderStyle, olderFields, windowSeconds } from './header-styles.js'
import type { Limit } from './limit.js'
import { toldWaitOf, wholeSeconds } from './seconds.js'
import { serializeString } from './structured-field.js'

/**
 * The header fields that tell a client where it stands, in one or several {@link HeaderStyle}s. None for a decision
 * without limits. docs/headers.md shows each style as it is sent.
 *
 * `'draft-11'` is `RateLimit-Policy` and `RateLimit`, a member for each limit, in the order of the decision: `q` is the
 * burst, `w` the seconds in which an empty bucket fills; `r` the tokens left; `t` whole seconds: for a limit that refused
 * the wait for this cost (left out if it can never fit), for another with nothing left the wait for one token, else the
 * time until it is full. The other styles tell the same of the tightest limit: the one that refused with the longest
 * wait, else the one with the fewest tokens left, of equals the first; a cost that can never fit is told the time until
 * full, as they cannot leave it out.
 *
 * Source: draft-ietf-httpapi-ratelimit-headers-11 sections 3 and 4; RFC 9651.
 *
 * @param styles @default 'draft-11'
 * @param epochMs The moment of the decision, in milliseconds since 1970, for `X-RateLimit-Reset`. @default Date.now()
 * @throws RailError `RAIL_BAD_CLOCK` when `epochMs` is no finite number and a style sends it
 */
export function headersFor(
  decision: Decision,
  styles: HeaderStyle | readonly HeaderStyle[] = 'draft-11',
  epochMs?: number,
): Field[] {
  const { limits } = decision
  if (limits.length === 0) return []
  const several = typeof styles === 'string' ? [styles] : styles
  if (several.length === 1 && several[0] === 'draft-11') return draft11(limits)
  const fields: Field[] = []
  for (const style of several) {
    fields.push(...(style === 'draft-11' ? draft11(limits) : olderFields(style, limits, epochMs)))
  }
  return fields
}

function draft11(limits: readonly LimitStatus[]): Field[] {
  return [
    { name: 'RateLimit-Policy', value: policyOf(limits), merge: 'list' },
    { name: 'RateLimit', value: stateOf(limits), merge: 'list' },
  ]
}

function stateOf(limits: readonly LimitStatus[]): string {
  let text = ''
  for (let index = 0; index < limits.length; index++) {
    const status = limits[index] as LimitStatus
    const wait = toldWaitOf(status)
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

const memberNames = new WeakMap<Limit, string>()

function memberName(limit: Limit, scope: string): string {
  if (scope !== '') return serializeString(sentName(scope, limit))
  const known = memberNames.get(limit)
  if (known !== undefined) return known
  const name = serializeString(limit.name)
  memberNames.set(limit, name)
  return name
}
