import type { Decision, LimitStatus } from '../bucket/decision.js'
import type { Field } from './field.js'
import type { HeaderStyle } from './header-style.js'
import { policyOf } from './policy-of.js'
import { sentWaitOf, wholeSeconds } from './seconds.js'

/**
 * `RateLimit-Policy` and `RateLimit` as revisions 08 to 11 of draft-ietf-httpapi-ratelimit-headers have them, a member for
 * each limit, in the order of the decision. `q` is the burst, `w` the seconds in which an empty bucket fills, `r` the
 * tokens left, `t` a time in whole seconds. For a limit that refused, `t` is the wait for this cost, and left out if that
 * never fits. For another limit with nothing left it is the wait for one token. Else it is the time until the bucket is full.
 *
 * Source: draft-ietf-httpapi-ratelimit-headers-11 sections 3 and 4; RFC 9651.
 */
export const draft11: HeaderStyle = {
  name: 'draft11',
  writes: ['RateLimit-Policy', 'RateLimit'],
  fieldsFor(decision: Decision | undefined): readonly Field[] {
    const limits = decision?.limits
    if (limits === undefined || limits.length === 0) return []
    const policy = policyOf(limits)
    return [policy.field, { name: 'RateLimit', value: stateOf(limits, policy.heads), merge: 'list' }]
  },
}

function stateOf(limits: readonly LimitStatus[], heads: readonly string[]): string {
  let text = ''
  for (let index = 0; index < limits.length; index++) {
    const status = limits[index] as LimitStatus
    const wait = sentWaitOf(status)
    text += `${heads[index]}${status.remaining}`
    if (wait !== Number.POSITIVE_INFINITY) text += timeOf(wholeSeconds(wait))
  }
  return text
}

/** The parameter of a number of seconds. Short times are frequent, and kept. */
function timeOf(seconds: number): string {
  if (seconds >= MOST_KEPT) return `;t=${seconds}`
  times[seconds] ??= `;t=${seconds}`
  return times[seconds] as string
}

const MOST_KEPT = 1_000
const times: string[] = []
