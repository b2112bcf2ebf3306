import type { Duration } from '../limit/duration.js'

/** Things by name: an object, a Map, or an array of pairs of a name and a thing. */
export type ByName<Thing> = Readonly<Record<string, Thing>> | Iterable<readonly [name: string, thing: Thing]>

/** Plans and their customers as plain data: the content of a plan file, and of what a control plane sends. */
export interface PlanDocument {
  /** The plans, by name. */
  readonly plans: ByName<Plan>
  /** The customers, by the key they are counted under. @default none */
  readonly customers?: ByName<PlanCustomer> | undefined
  /** The plan of a customer who has none, or who is not in `customers`. @default none: no limit */
  readonly defaultPlan?: string | undefined
  /** `'each'`: every server enforces the whole limit. `{ split: 4 }`: each of four servers enforces its share. @default 'each' */
  readonly servers?: 'each' | { readonly split: number } | undefined
}

/** A named set of limits. */
export interface Plan {
  /** The limits of every request. @default none */
  readonly limits?: PlanLimits | undefined
  /** The limits of each scope: `limiter.with({ scope: 'writes' })` charges these and `limits`. @default none */
  readonly scopes?: ByName<PlanLimits> | undefined
}

/**
 * Limits by name. A number is enough where the name contains the window: `per_second`, `per_minute`, `per_hour`,
 * `per_day`. `null` is an error and does not mean "no limit", because JSON turns NaN into `null`.
 */
export type PlanLimits = ByName<number | PlanLimit>

/** A limit in full, as core's `limit()` takes it; its name is the key in {@link PlanLimits}. */
export interface PlanLimit {
  /** Tokens per window: a whole number of 1 or more, at most 15 digits. */
  readonly tokens: number
  /** The window: `'10s'`, `'1h'`, or whole milliseconds. Required unless the name contains it. */
  readonly per?: Duration | undefined
  /** The bucket's size in tokens. @default tokens */
  readonly burst?: number | undefined
  /** What a request is charged: its cost, or always 1. @default 'cost' */
  readonly counts?: 'cost' | 'requests' | undefined
}

/** A customer: their plan, and their overrides of it. */
export interface PlanCustomer {
  /** The name of a plan. @default the document's `defaultPlan` */
  readonly plan?: string | undefined
  /** By the limit's name as it is sent: `per_second`, or `writes.per_minute` for a limit of a scope. @default none */
  readonly overrides?: ByName<OverrideValue | PlanOverride> | undefined
}

/** The value of an override: `'inherit'` (the plan's limit), `'no-limit'`, or the tokens per window of the limit. */
export type OverrideValue = 'inherit' | 'no-limit' | number

/** An override of one limit for one customer. */
export interface PlanOverride {
  /** `'inherit'`: the plan's limit; `'no-limit'`: no such limit; a number: the tokens per window of the limit. */
  readonly tokens: OverrideValue
  /** The bucket's size in tokens. @default the plan's burst, in proportion to the tokens */
  readonly burst?: number | undefined
  /** When it ends: epoch milliseconds, or an RFC 3339 string (`2026-12-01T00:00:00Z`). @default never */
  readonly expires?: number | string | undefined
  /** Why it was made, for people. */
  readonly reason?: string | undefined
  /** Who made it, for people. */
  readonly author?: string | undefined
}

/** Changes to a book of plans: what to set, and the names to remove. All are applied, or none. */
export interface PlanChanges {
  /** New plans, and plans that replace those of the same name. */
  readonly plans?: ByName<Plan> | undefined
  /** The names of the plans to remove. */
  readonly removedPlans?: readonly string[] | undefined
  /** New customers, and customers that replace those of the same key. */
  readonly customers?: ByName<PlanCustomer> | undefined
  /** The keys of the customers to remove. */
  readonly removedCustomers?: readonly string[] | undefined
  /** The new default plan; `null`: none. @default unchanged */
  readonly defaultPlan?: string | null | undefined
  /** As in {@link PlanDocument}. @default unchanged */
  readonly servers?: 'each' | { readonly split: number } | undefined
}
