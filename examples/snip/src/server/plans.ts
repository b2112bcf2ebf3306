import type { PlanDocument } from '@rail/fastify'

/**
 * What Snip sells. Writes have a bucket of their own beside the plan's: as many in a minute, but a fifth of them at once, so
 * that an import leaves room for whoever only looks.
 */
export const plans: PlanDocument = {
  plans: {
    free: { limits: { per_minute: 100 }, scopes: { writes: { per_minute: { tokens: 100, burst: 20 } } } },
    pro: { limits: { per_minute: 1_000 }, scopes: { writes: { per_minute: { tokens: 1_000, burst: 200 } } } },
  },
  customers: { ada: { plan: 'free' }, grace: { plan: 'pro' } },
}

/** A customer, as their API key names them. */
export interface Customer {
  readonly id: string
  readonly plan: string
}

/** Keys to paste. A real service shows a key once, when it is made, and stores its hash only. */
export const demoKeys: Readonly<Record<string, Customer>> = {
  snip_free_ada: { id: 'ada', plan: 'free' },
  snip_pro_grace: { id: 'grace', plan: 'pro' },
}
