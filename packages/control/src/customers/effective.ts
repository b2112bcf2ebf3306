import { createPlanBook, type Limit } from '@rail/core'
import { planContext, syncCustomerOf } from '../plans/check.js'
import { readSettings } from '../plans/settings.js'
import type { Reader } from '../store/database.js'
import { serverCount } from '../sync/membership.js'
import type { Effective, StoredCustomer } from './customer-schemas.js'
import { rowOf } from './customers.js'

/** The limits in force for a customer, found by core as a server finds them. */
export function effectiveFor(db: Reader, customer: StoredCustomer, now: number): Effective {
  const { servers } = readSettings(db)
  const book = createPlanBook(
    {
      ...planContext(db),
      customers: [syncCustomerOf(rowOf(customer.id, customer))],
      servers: servers === 'each' ? 'each' : { split: serverCount(db, now) },
    },
    { clock: () => now },
  )
  const { plan = null, planFrom, split, limits, idle } = book.explain(customer.id)
  return {
    plan,
    planFrom,
    split,
    limits: limits.map(({ name, scope, rule, limit, enforced }) => {
      return { name, scope, rule, limit: effectiveOf(limit), enforced: effectiveOf(enforced) }
    }),
    idle: idle.map(({ name, why }) => ({ name, why })),
  }
}

function effectiveOf(limit: Limit | undefined): Effective['limits'][number]['limit'] {
  if (limit === undefined) return null
  const { tokens, windowMs, burst, counts } = limit
  return { tokens, windowMs, burst, counts }
}
