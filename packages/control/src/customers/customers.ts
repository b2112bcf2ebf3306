import { Problem } from '../base/problem.js'
import { type CustomerRow, checkCustomer, planContext, syncCustomerOf } from '../plans/check.js'
import { type Author, change } from '../records/history.js'
import type { Database, Reader, Row } from '../store/database.js'
import { checkPrecondition, type Precondition } from '../store/precondition.js'
import type { CustomerBody, OverrideBody, StoredCustomer } from './customer-schemas.js'

/** Which customers to list. */
export interface CustomerQuery {
  readonly plan?: string | undefined
  /** Part of an id or a name, ignoring case. */
  readonly search?: string | undefined
  readonly overridden?: boolean | undefined
  /** Only ids after this one. */
  readonly after?: string | undefined
  readonly limit: number
}

const COLUMNS = 'id, name, note, plan, overrides, rev, changed_at AS changedAt'

/** Customers by id, a page of them. */
export function listCustomers(db: Reader, { plan, search, overridden, after, limit }: CustomerQuery): StoredCustomer[] {
  const pattern = search === undefined ? null : `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`
  const only = overridden === true ? 'AND overrides IS NOT NULL' : ''
  return db
    .all(
      `SELECT ${COLUMNS} FROM customer
       WHERE id > ?1 AND (?2 IS NULL OR plan = ?2) ${only}
         AND (?3 IS NULL OR id LIKE ?3 ESCAPE '\\' OR name LIKE ?3 ESCAPE '\\')
       ORDER BY id LIMIT ?4`,
      after ?? '',
      plan ?? null,
      pattern,
      limit,
    )
    .map(customerOf)
}

/** A customer, `undefined` if there is none of that id. */
export function findCustomer(db: Reader, id: string): StoredCustomer | undefined {
  const row = db.first(`SELECT ${COLUMNS} FROM customer WHERE id = ?`, id)
  return row && customerOf(row)
}

/** Stores a customer, new or changed, as a whole. @throws Problem `invalid`, `stale` */
export function putCustomer(
  db: Database,
  id: string,
  body: CustomerBody,
  precondition: Precondition,
  by: Author,
): StoredCustomer {
  return db.transaction(() => {
    const before = findCustomer(db, id)
    checkPrecondition(precondition, before?.rev, `Customer ${JSON.stringify(id)}`)
    const after = partsOf(body)
    checkCustomer(planContext(db), syncCustomerOf(rowOf(id, after)))
    change(db, { ...by, kind: 'customer', id, before: before ? partsOf(before) : null, after }, (rev) =>
      writeCustomer(db, id, after, rev, by.at),
    )
    return findCustomer(db, id) as StoredCustomer
  })
}

/**
 * Sets some overrides of a customer, and removes those that are `null`. A new customer is stored, on the default plan.
 *
 * @throws Problem `invalid`, `stale`
 */
export function patchOverrides(
  db: Database,
  id: string,
  patch: Readonly<Record<string, OverrideBody | null>>,
  precondition: Precondition,
  by: Author,
): StoredCustomer {
  return db.transaction(() => {
    const before = findCustomer(db, id)
    const overrides = { ...before?.overrides, ...patch }
    const kept = Object.entries(overrides).filter((entry): entry is [string, OverrideBody] => entry[1] !== null)
    return putCustomer(db, id, { ...before, overrides: Object.fromEntries(kept) }, precondition, by)
  })
}

/** Removes a customer. To servers it is then an unknown one. @throws Problem `not_found`, `stale` */
export function removeCustomer(db: Database, id: string, precondition: Precondition, by: Author): void {
  db.transaction(() => {
    const before = findCustomer(db, id)
    if (before === undefined) throw new Problem('not_found', `There is no customer ${JSON.stringify(id)}.`)
    checkPrecondition(precondition, before.rev, `Customer ${JSON.stringify(id)}`)
    change(db, { ...by, kind: 'customer', id, before: partsOf(before), after: null }, (rev) => {
      db.run('DELETE FROM customer WHERE id = ?', id)
      db.run("INSERT INTO removed VALUES ('customer', ?, ?, ?)", id, rev, by.at)
    })
  })
}

/** The content of a customer, with every part. */
export interface CustomerParts {
  readonly name: string | null
  readonly note: string | null
  readonly plan: string | null
  readonly overrides: Readonly<Record<string, OverrideBody>>
}

/** The parts of a customer, always in the same order. */
export function partsOf({ name, note, plan, overrides }: CustomerBody): CustomerParts {
  return { name: name ?? null, note: note ?? null, plan: plan ?? null, overrides: overrides ?? {} }
}

/** Writes a customer's row, in the caller's transaction and under its revision. */
export function writeCustomer(db: Database, id: string, parts: CustomerParts, rev: number, at: number): void {
  const { name, note, plan, overrides } = rowOf(id, parts)
  db.run(
    `INSERT INTO customer VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET name = excluded.name, note = excluded.note, plan = excluded.plan,
       overrides = excluded.overrides, rev = excluded.rev, changed_at = excluded.changed_at`,
    id,
    name,
    note,
    plan,
    overrides,
    rev,
    at,
  )
  db.run("DELETE FROM removed WHERE kind = 'customer' AND id = ?", id)
}

/** A customer's row, without its revision and time. */
export interface PartsRow extends CustomerRow {
  readonly name: string | null
  readonly note: string | null
}

/** The row of a customer. */
export function rowOf(id: string, { name, note, plan, overrides }: CustomerParts): PartsRow {
  const none = Object.keys(overrides).length === 0
  return { id, name, note, plan, overrides: none ? null : JSON.stringify(overrides) }
}

function customerOf({ overrides, ...row }: Row): StoredCustomer {
  return { ...row, overrides: typeof overrides === 'string' ? JSON.parse(overrides) : {} } as StoredCustomer
}
