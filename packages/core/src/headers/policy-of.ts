import type { LimitStatus } from '../bucket/decision.js'
import type { Limit } from '../limit/limit.js'
import { makePolicy, type Policy } from './policy.js'

/** A policy with the limits that it is of. */
interface KnownPolicy extends Policy {
  readonly limits: readonly Limit[]
  readonly scopes: readonly string[]
}

/** Policies seldom change while states always do, so they are kept, by the first of their limits. */
let policies: WeakMap<Limit, KnownPolicy> | undefined

/** The policy of these limits. */
export function policyOf(statuses: readonly LimitStatus[]): Policy {
  policies ??= new WeakMap()
  const first = (statuses[0] as LimitStatus).limit
  const known = policies.get(first)
  if (known !== undefined && isPolicyOf(known, statuses)) return known
  const [limits, scopes] = [statuses.map(({ limit }) => limit), statuses.map(({ scope }) => scope)]
  const policy = { ...makePolicy(statuses), limits, scopes }
  policies.set(first, policy)
  return policy
}

function isPolicyOf({ limits, scopes }: KnownPolicy, statuses: readonly LimitStatus[]): boolean {
  if (limits.length !== statuses.length) return false
  for (let index = 0; index < statuses.length; index++) {
    const { limit, scope } = statuses[index] as LimitStatus
    if (limits[index] !== limit || scopes[index] !== scope) return false
  }
  return true
}
