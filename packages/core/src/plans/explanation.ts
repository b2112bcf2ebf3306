import type { Limit } from '../limit/limit.js'
import { sentName } from '../limit/sent-name.js'
import { share } from '../limit/share.js'
import type { Listed, PlanState } from './changes.js'
import type { PlanOverride } from './document.js'
import { overridden } from './overrides.js'

/** Which rule gives each limit of a customer. */
export interface PlanExplanation {
  readonly customer: string
  /** Whether the customer is in the book by name. */
  readonly listed: boolean
  /** The plan that holds; `undefined`: none, so only overrides limit. */
  readonly plan: string | undefined
  /** Where the plan comes from. */
  readonly planFrom: 'customer' | 'default' | 'none'
  /** On how many servers limits are split; 1: each server enforces the whole limit. */
  readonly split: number
  readonly limits: readonly ExplainedLimit[]
  /** Overrides that do nothing now, and why. */
  readonly idle: readonly IdleOverride[]
}

/** One limit of a customer. */
export interface ExplainedLimit {
  /** The name as it is sent: `per_second`, `writes.per_minute`. */
  readonly name: string
  readonly scope: string
  /** What says so. */
  readonly rule: 'override' | 'plan' | 'default plan'
  /** The whole limit; `undefined`: an override says that there is no such limit. */
  readonly limit: Limit | undefined
  /** What this server enforces: the limit or its share. */
  readonly enforced: Limit | undefined
  /** The override, where one says so. */
  readonly override: PlanOverride | undefined
}

/** An override that does nothing now. */
export interface IdleOverride {
  readonly name: string
  readonly override: PlanOverride
  /** It has ended, it says to inherit, or the customer's plan has no such limit (and the name says no window). */
  readonly why: 'ended' | 'inherits' | 'not in the plan'
}

/** Explains the limits of a customer at a moment, in epoch milliseconds. */
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
  const inForce = overrides.filter(({ endsAt, said }) => now < endsAt && said.tokens !== 'inherit')
  const effective = overridden(planned, inForce)

  const rows = new Map<string, ExplainedLimit>()
  const row = (scope: string, limit: Limit): void => {
    const name = sentName(scope, limit)
    const override = inForce.find(({ sent }) => sent === name)?.said
    const rule = override !== undefined ? 'override' : planFrom === 'default' ? 'default plan' : 'plan'
    rows.set(name, { name, scope, rule, limit, enforced: share(limit, split), override })
  }
  for (const [scope, limits] of planned) for (const limit of limits) row(scope, limit)
  for (const { sent, scope, said } of inForce) {
    if (said.tokens === 'no-limit') {
      rows.set(sent, { name: sent, scope, rule: 'override', limit: undefined, enforced: undefined, override: said })
    }
  }
  for (const [scope, limits] of effective) for (const limit of limits) row(scope, limit)

  const idle = overrides.flatMap(({ sent, said, endsAt }): IdleOverride[] => {
    if (now >= endsAt) return [{ name: sent, override: said, why: 'ended' }]
    if (said.tokens === 'inherit') return [{ name: sent, override: said, why: 'inherits' }]
    return rows.has(sent) ? [] : [{ name: sent, override: said, why: 'not in the plan' }]
  })
  return { customer, listed: listed !== undefined, plan, planFrom, split, limits: [...rows.values()], idle }
}
