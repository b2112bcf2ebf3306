import type { Duration } from '../limit/duration.js'

/** Things by name: an object, or pairs of a name and a thing (an array of them, a Map). */
export type ByName<Thing> = Readonly<Record<string, Thing>> | Iterable<readonly [name: string, thing: Thing]>

/** Plans and who is on them, as plain data: what a plan file holds, and what a control plane sends. */
export interface PlanDocument {
  /** The plans, by name. */
  readonly plans: ByName<Plan>
  /** The customers, by the key they are counted under. @default none */
  readonly customers?: ByName<PlanCustomer> | undefined
  /** The plan of a customer who has none, or who is not in `customers`. @default none: no limit */
  readonly defaultPlan?: string | undefined
  /** Whether every server enforces the whole limit, or its share of it: one of so many servers. @default 'each' */
  readonly servers?: 'each' | { readonly split: number } | undefined
}

/** A named set of limits. */
export interface Plan {
  /** The limits of every request. A dimension that is left out has no limit. @default none */
  readonly limits?: PlanLimits | undefined
  /** Limits of their own for scopes: `limiter.with({ scope: 'writes' })` charges these beside `limits`. @default none */
  readonly scopes?: ByName<PlanLimits> | undefined
}

/**
 * Limits by their name. A number is enough for a name that says its window: `per_second`, `per_minute`, `per_hour`,
 * `per_day`. A limit that is left out does not hold; `null` is an error, because JSON turns a NaN into one.
 */
export type PlanLimits = ByName<number | PlanLimit>

/** A limit in full, as core's `limit()` takes it; its name is outside. */
export interface PlanLimit {
  /** How many tokens per window: a whole number from 1, at most 15 digits. */
  readonly tokens: number
  /** The window: `'10s'`, `'1h'`, or whole milliseconds. Required, except where the name says it. */
  readonly per?: Duration | undefined
  /** The bucket's size in tokens. @default tokens */
  readonly burst?: number | undefined
  /** What a request takes: its cost, or always 1. @default 'cost' */
  readonly counts?: 'cost' | 'requests' | undefined
}

/** Who pays: the plan they are on, and where they differ from it. */
export interface PlanCustomer {
  /** The name of a plan. @default the document's `defaultPlan` */
  readonly plan?: string | undefined
  /** By the limit's name as it is sent: `per_second`, or `writes.per_minute` for a scope's. @default none */
  readonly overrides?: ByName<OverrideValue | PlanOverride> | undefined
}

/** What an override says: what the plan says, no such limit, or so many tokens in the limit's window. */
export type OverrideValue = 'inherit' | 'no-limit' | number

/** An exception for one customer and one limit. */
export interface PlanOverride {
  /** `'inherit'`: as the plan says; `'no-limit'`: no such limit; a number: so many tokens in the limit's window. */
  readonly tokens: OverrideValue
  /** The bucket's size in tokens. @default the plan's burst, in proportion to the tokens */
  readonly burst?: number | undefined
  /** When it ends: epoch milliseconds, or RFC 3339 text (`2026-12-01T00:00:00Z`). @default never */
  readonly expires?: number | string | undefined
  /** Why, for people. */
  readonly reason?: string | undefined
  /** Who made it, for people. */
  readonly author?: string | undefined
}

/** What changes a book of plans: things set, and names removed. Applied whole or not at all. */
export interface PlanChanges {
  /** Plans that are new, or stand in place of those of the same name. */
  readonly plans?: ByName<Plan> | undefined
  /** Names of plans that are gone. */
  readonly removedPlans?: readonly string[] | undefined
  /** Customers who are new, or stand in place of those of the same key. */
  readonly customers?: ByName<PlanCustomer> | undefined
  /** Keys of customers who are gone. */
  readonly removedCustomers?: readonly string[] | undefined
  /** Another default plan; `null`: none. @default as it was */
  readonly defaultPlan?: string | null | undefined
  /** @default as it was */
  readonly servers?: 'each' | { readonly split: number } | undefined
}
