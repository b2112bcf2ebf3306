import type { Limit } from '../limit/limit.js'
import { sentName } from '../limit/sent-name.js'
import { share } from '../limit/share.js'
import type { Listed, PlanState } from './changes.js'
import type { PlanOverride } from './document.js'
import { overridden } from './overrides.js'

/** The limits of a customer, and the rule that sets each. */
export interface PlanExplanation {
  readonly customer: string
  /** Whether the book lists the customer. */
  readonly listed: boolean
  /** The plan in force; `undefined`: none, so only overrides limit the customer. */
  readonly plan: string | undefined
  /** Where the plan comes from. */
  readonly planFrom: 'customer' | 'default' | 'none'
  /** The number of servers that limits are split over; 1: each server enforces the whole limit. */
  readonly split: number
  readonly limits: readonly ExplainedLimit[]
  /** The overrides that have no effect now, and why. */
  readonly idle: readonly IdleOverride[]
}

/** One limit of a customer. */
export interface ExplainedLimit {
  /** The name as it is sent: `per_second`, `writes.per_minute`. */
  readonly name: string
  readonly scope: string
  /** What sets the limit. */
  readonly rule: 'override' | 'plan' | 'default plan'
  /** The whole limit; `undefined`: an override of `'no-limit'`. */
  readonly limit: Limit | undefined
  /** The limit that this server enforces: the whole one, or its share. */
  readonly enforced: Limit | undefined
  /** The override that sets it, if one does. */
  readonly override: PlanOverride | undefined
}

/** An override that has no effect now. */
export interface IdleOverride {
  readonly name: string
  readonly override: PlanOverride
  /** It has ended, its value is `'inherit'`, or the plan has no such limit (and the name contains no window). */
  readonly why: 'ended' | 'inherits' | 'not in the plan'
}

/** Explains the limits of a customer at `now`, in epoch milliseconds. */
export function explanationOf(
  customer: string,
  listed: Listed | undefined,
  { plans, defaultPlan, servers }: Omit<PlanState, 'customers'>,
  now: number,
): PlanExplanation {
  const plan = listed?.plan ?? defaultPlan
  const planFrom = listed?.plan !== undefined ? 'customer' : plan !== undefined ? 'default' : 'none'
  const split = servers === 'each' ? 1 : servers.split
  const planned = plans.get(plan ?? '') ?? new Map<string, readonly Limit[]>()
  const overrides = listed?.overrides ?? []
  const inForce = overrides.filter(({ endsAt, given }) => now < endsAt && given.tokens !== 'inherit')
  const effective = overridden(planned, inForce)

  const rows = new Map<string, ExplainedLimit>()
  const row = (scope: string, limit: Limit): void => {
    const name = sentName(scope, limit)
    const override = inForce.find(({ sent }) => sent === name)?.given
    const rule = override !== undefined ? 'override' : planFrom === 'default' ? 'default plan' : 'plan'
    rows.set(name, { name, scope, rule, limit, enforced: share(limit, split), override })
  }
  for (const [scope, limits] of planned) for (const limit of limits) row(scope, limit)
  for (const { sent, scope, given } of inForce) {
    if (given.tokens === 'no-limit') {
      rows.set(sent, { name: sent, scope, rule: 'override', limit: undefined, enforced: undefined, override: given })
    }
  }
  for (const [scope, limits] of effective) for (const limit of limits) row(scope, limit)

  const idle = overrides.flatMap(({ sent, given, endsAt }): IdleOverride[] => {
    if (now >= endsAt) return [{ name: sent, override: given, why: 'ended' }]
    if (given.tokens === 'inherit') return [{ name: sent, override: given, why: 'inherits' }]
    return rows.has(sent) ? [] : [{ name: sent, override: given, why: 'not in the plan' }]
  })
  return { customer, listed: listed !== undefined, plan, planFrom, split, limits: [...rows.values()], idle }
}
