import { Problem } from '../base/problem.js'
import { type Author, change } from '../records/history.js'
import type { Database, Reader, Row } from '../store/database.js'
import { checkPrecondition, type Precondition } from '../store/precondition.js'
import { checkPlans } from './check.js'
import type { PlanBody, StoredPlan } from './plan-schemas.js'

const COLUMNS = 'name, body, rev, changed_at AS changedAt'

/** All plans, by name. */
export function listPlans(db: Reader): StoredPlan[] {
  return db.all(`SELECT ${COLUMNS} FROM plan ORDER BY name`).map(planOf)
}

/** A plan, `undefined` if there is none of that name. */
export function findPlan(db: Reader, name: string): StoredPlan | undefined {
  const row = db.first(`SELECT ${COLUMNS} FROM plan WHERE name = ?`, name)
  return row && planOf(row)
}

/** How many customers name a plan, without those who have it as the default plan. */
export function customersOn(db: Reader, name: string): number {
  return db.first<{ count: number }>('SELECT count(*) AS count FROM customer WHERE plan = ?', name)?.count ?? 0
}

/**
 * Stores a plan, new or changed. Core checks all plans and overrides together first.
 *
 * @throws Problem `invalid`, `stale`
 */
export function putPlan(
  db: Database,
  name: string,
  body: PlanBody,
  precondition: Precondition,
  by: Author,
): StoredPlan {
  return db.transaction(() => {
    const before = findPlan(db, name)
    checkPrecondition(precondition, before?.rev, `Plan ${JSON.stringify(name)}`)
    checkPlans(db, { name, body })
    change(
      db,
      { ...by, kind: 'plan', id: name, before: before ? bodyOf(before) : null, after: bodyOf(body) },
      (rev) => {
        db.run(
          `INSERT INTO plan VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET body = excluded.body, rev = excluded.rev, changed_at = excluded.changed_at`,
          name,
          JSON.stringify(bodyOf(body)),
          rev,
          by.at,
        )
        db.run("DELETE FROM removed WHERE kind = 'plan' AND id = ?", name)
      },
    )
    return findPlan(db, name) as StoredPlan
  })
}

/**
 * Removes a plan without customers.
 *
 * @throws Problem `not_found`, `stale`, `in_use` for the default plan and for a plan with customers
 */
export function removePlan(db: Database, name: string, precondition: Precondition, by: Author): void {
  db.transaction(() => {
    const before = findPlan(db, name)
    const quoted = JSON.stringify(name)
    if (before === undefined) throw new Problem('not_found', `There is no plan ${quoted}.`)
    checkPrecondition(precondition, before.rev, `Plan ${quoted}`)
    const customers = customersOn(db, name)
    if (customers > 0) {
      const [who, them] = customers === 1 ? ['1 customer is', 'it'] : [`${customers} customers are`, 'them']
      throw new Problem('in_use', `${who} on plan ${quoted}. Move ${them} to another plan first.`)
    }
    if (db.first("SELECT 1 FROM setting WHERE name = 'default_plan' AND value = ?", name) !== undefined) {
      throw new Problem('in_use', `${quoted} is the default plan. Choose another default plan first, or none.`)
    }
    checkPlans(db, { name })
    change(db, { ...by, kind: 'plan', id: name, before: bodyOf(before), after: null }, (rev) => {
      db.run('DELETE FROM plan WHERE name = ?', name)
      db.run("INSERT INTO removed VALUES ('plan', ?, ?, ?)", name, rev, by.at)
    })
  })
}

function planOf({ name, body, rev, changedAt }: Row): StoredPlan {
  return { name, ...JSON.parse(body as string), rev, changedAt } as StoredPlan
}

/** A plan as sent to servers, its parts always in the same order. */
function bodyOf({ limits, scopes }: PlanBody): PlanBody {
  return { ...(limits && { limits }), ...(scopes && { scopes }) }
}
