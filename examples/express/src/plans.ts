import type { PlanDocument } from '@rail/express'

/** What is sold, and to whom: plain data, so it could as well be a JSON file or a row in a database. */
export const plans: PlanDocument = {
  plans: {
    free: {
      limits: { per_second: 10, per_minute: 300 },
      scopes: { writes: { per_minute: 20 } },
    },
    pro: {
      limits: { per_second: 50, per_minute: 3_000 },
      scopes: { writes: { per_minute: 600 } },
    },
  },
  customers: {
    acme: { plan: 'free' },
    globex: { plan: 'pro', overrides: { 'writes.per_minute': { tokens: 1_200, reason: 'migrates until spring' } } },
  },
}
