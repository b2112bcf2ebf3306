import type { Decision, LimitStatus } from '../bucket/decision.js'
import type { Limit } from '../limit/limit.js'
import { sentName } from '../limit/sent-name.js'
import type { Field } from './field.js'
import type { HeaderStyle } from './header-style.js'
import { sentWaitOf, wholeSeconds, windowSeconds } from './seconds.js'
import { serializeString } from './structured-string.js'

/**
 * `RateLimit-Policy` and `RateLimit` as revisions 08 to 11 of draft-ietf-httpapi-ratelimit-headers have them, a member for
 * each limit, in the order of the decision. `q` is the burst, `w` the seconds in which an empty bucket fills, `r` the
 * tokens left. `t` is in whole seconds: for a limit that refused, the wait for this cost, left out if it never fits; for
 * another limit with nothing left, the wait for one token; else the time until the bucket is full.
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
    return [
      { name: 'RateLimit-Policy', value: policy.text, merge: 'list' },
      { name: 'RateLimit', value: stateOf(limits, policy.heads), merge: 'list' },
    ]
  },
}

function stateOf(limits: readonly LimitStatus[], heads: readonly string[]): string {
  let text = ''
  for (let index = 0; index < limits.length; index++) {
    const status = limits[index] as LimitStatus
    const wait = sentWaitOf(status)
    text += `${heads[index]}${status.remaining}`
    if (wait !== Number.POSITIVE_INFINITY) text += `;t=${wholeSeconds(wait)}`
  }
  return text
}

/** The parts of both headers that are the same for the same limits. */
interface Policy {
  readonly limits: readonly Limit[]
  readonly scopes: readonly string[]
  readonly text: string
  /** For each limit, the part of `RateLimit` before its number of tokens left. */
  readonly heads: readonly string[]
}

/** Policies seldom change while states always do, so they are kept, by the first of their limits. */
let policies: WeakMap<Limit, Policy> | undefined

function policyOf(statuses: readonly LimitStatus[]): Policy {
  policies ??= new WeakMap()
  const first = (statuses[0] as LimitStatus).limit
  const known = policies.get(first)
  if (known !== undefined && isPolicyOf(known, statuses)) return known
  const names = statuses.map(({ limit, scope }) => serializeString(sentName(scope, limit)))
  const policy: Policy = {
    limits: statuses.map(({ limit }) => limit),
    scopes: statuses.map(({ scope }) => scope),
    text: statuses.map(({ limit }, index) => `${names[index]};q=${limit.burst};w=${windowSeconds(limit)}`).join(', '),
    heads: names.map((name, index) => `${index === 0 ? '' : ', '}${name};r=`),
  }
  policies.set(first, policy)
  return policy
}

function isPolicyOf({ limits, scopes }: Policy, statuses: readonly LimitStatus[]): boolean {
  if (limits.length !== statuses.length) return false
  for (let index = 0; index < statuses.length; index++) {
    const { limit, scope } = statuses[index] as LimitStatus
    if (limits[index] !== limit || scopes[index] !== scope) return false
  }
  return true
}
