import { type PlanProblem, pathText, planProblems } from '@rail/core'
import type { SyncDocument } from '@rail/plans/sync-protocol'
import { type Fault, Problem } from '../base/problem.js'
import type { Database, Reader } from '../store/database.js'
import type { PlanBody } from './plan-schemas.js'
import { readSettings } from './settings.js'

/** All plans and the default plan: what core needs to check customers. */
export interface PlanContext {
  readonly plans: readonly (readonly [string, PlanBody])[]
  readonly defaultPlan: string | undefined
}

/** A customer as sent to servers. */
export type SyncCustomer = SyncDocument['customers'][number]

/** The plans that are stored, and the default plan. */
export function planContext(db: Reader): PlanContext {
  const plans = db.all<{ name: string; body: string }>('SELECT name, body FROM plan ORDER BY name')
  return {
    plans: plans.map(({ name, body }): [string, PlanBody] => [name, JSON.parse(body)]),
    defaultPlan: readSettings(db).defaultPlan ?? undefined,
  }
}

/** A number that changes with every change of plans or settings. */
export function plansRev(db: Reader): number {
  const row = db.first<{ rev: number }>(
    `SELECT max(coalesce((SELECT max(rev) FROM plan), 0), coalesce((SELECT max(rev) FROM setting), 0),
       coalesce((SELECT max(rev) FROM removed WHERE kind = 'plan'), 0)) AS rev`,
  )
  return row?.rev ?? 0
}

/**
 * Checks the plans after a change by core, with every customer who has overrides: an override may be of a limit that the
 * change removes, and servers would refuse all of it.
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
    'The plans would be invalid',
  )
}

/** A customer's row, as far as it is sent to servers. */
export interface CustomerRow {
  readonly id: string
  readonly plan: string | null
  readonly overrides: string | null
}

/** A customer as sent to servers: a pair, without members that are not set. */
export function syncCustomerOf({ id, plan, overrides }: CustomerRow): SyncCustomer {
  return [id, { ...(plan !== null && { plan }), ...(overrides !== null && { overrides: JSON.parse(overrides) }) }]
}

/** Checks a customer after a change by core. @throws Problem `invalid` */
export function checkCustomer(context: PlanContext, customer: SyncCustomer): void {
  refuse(checkCustomers(context, [customer]), 'The customer would be invalid')
}

/** What core finds wrong with customers after a change. */
export function checkCustomers(context: PlanContext, customers: readonly SyncCustomer[]): readonly PlanProblem[] {
  return planProblems({ ...context, customers })
}

function refuse(problems: readonly PlanProblem[], what: string): void {
  const [first] = problems
  if (first === undefined) return
  throw new Problem('invalid', `${what}: ${pathText(first.path)}: ${first.message}`, problems.map(faultOf))
}

function faultOf({ path, message }: PlanProblem): Fault {
  return { path: path.join('.'), message }
}
