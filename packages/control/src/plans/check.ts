import { type PlanProblem, planProblems } from '@rail/core'
import type { SyncDocument } from '@rail/plans/sync-protocol'
import { type Fault, Problem } from '../base/problem.js'
import type { Database, Reader } from '../store/database.js'
import type { PlanBody } from './plan-schemas.js'
import { readSettings } from './settings.js'

/** What core is asked about customers with: all plans, and the default plan. */
export interface PlanContext {
  readonly plans: readonly (readonly [string, PlanBody])[]
  readonly defaultPlan: string | undefined
}

/** A customer as servers are told of them. */
export type SyncCustomer = SyncDocument['customers'][number]

/** The plans that are stored, and the default plan. */
export function planContext(db: Reader): PlanContext {
  const plans = db.all<{ name: string; body: string }>('SELECT name, body FROM plan ORDER BY name')
  return {
    plans: plans.map(({ name, body }): [string, PlanBody] => [name, JSON.parse(body)]),
    defaultPlan: readSettings(db).defaultPlan ?? undefined,
  }
}

/** A number that is another one whenever plans or settings have changed. */
export function plansRev(db: Reader): number {
  const row = db.first<{ rev: number }>(
    `SELECT max(coalesce((SELECT max(rev) FROM plan), 0), coalesce((SELECT max(rev) FROM setting), 0),
       coalesce((SELECT max(rev) FROM removed WHERE kind = 'plan'), 0)) AS rev`,
  )
  return row?.rev ?? 0
}

/**
 * Has core look at the plans as they would be, together with every customer who has overrides: an override may be about a
 * limit that the change takes away, and servers would refuse the whole.
 *
 * @throws Problem `invalid`
 */
export function checkPlans(
  db: Database,
  change: { name: string; body?: PlanBody } | { defaultPlan: string | null },
): void {
  const { plans, defaultPlan } = planContext(db)
  const byName = new Map(plans)
  if ('name' in change) {
    byName.delete(change.name)
    if (change.body !== undefined) byName.set(change.name, change.body)
  }
  const customers = db.all<CustomerRow>('SELECT id, plan, overrides FROM customer WHERE overrides IS NOT NULL')
  refuse(
    planProblems({
      plans: [...byName],
      defaultPlan: 'defaultPlan' in change ? (change.defaultPlan ?? undefined) : defaultPlan,
      customers: customers.map(syncCustomerOf),
    }),
    'The plans would not hold together',
  )
}

/** A customer's row, as far as servers are told of it. */
export interface CustomerRow {
  readonly id: string
  readonly plan: string | null
  readonly overrides: string | null
}

/** A customer as servers are told of them: a pair, without what is not set. */
export function syncCustomerOf({ id, plan, overrides }: CustomerRow): SyncCustomer {
  return [id, { ...(plan !== null && { plan }), ...(overrides !== null && { overrides: JSON.parse(overrides) }) }]
}

/** Has core look at a customer as they would be. @throws Problem `invalid` */
export function checkCustomer(context: PlanContext, customer: SyncCustomer): void {
  refuse(checkCustomers(context, [customer]), 'Servers could not use this')
}

/** What core finds wrong with customers as they would be. */
export function checkCustomers(context: PlanContext, customers: readonly SyncCustomer[]): readonly PlanProblem[] {
  return planProblems({ ...context, customers })
}

function refuse(problems: readonly PlanProblem[], what: string): void {
  if (problems.length === 0) return
  throw new Problem('invalid', `${what}: ${problems[0]?.message}`, problems.map(faultOf))
}

function faultOf({ path, message }: PlanProblem): Fault {
  return { path: path.join('.'), message }
}
