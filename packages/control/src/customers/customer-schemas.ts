import { overrideSchema as fullOverrideSchema, overrideValueSchema } from '@rail/plans/sync-protocol'
import { z } from 'zod'
import { limitNameSchema, nameSchema, rev, text, time } from '../base/schemas.js'

/** The operator's own id of a customer: the key that requests are counted under. */
export const customerIdSchema = text.min(1).max(1_024)

/** One override in full, or just its value. */
export const overrideSchema = z.union([overrideValueSchema, fullOverrideSchema])

/** An override as it is set: it may say for how long it holds instead of when it ends. */
export const overridePatchSchema = z.union([
  overrideValueSchema,
  fullOverrideSchema.extend({
    for: z.string().max(20).optional().describe("How long it holds from now, such as '24h'. Without it: see expires."),
  }),
])

/** What a customer is made of. */
export const customerBodySchema = z.strictObject({
  name: text.max(255).nullish().describe('For people. Without it: none.'),
  note: text.max(2_000).nullish().describe('For people. Without it: none.'),
  plan: nameSchema.nullish().describe('The name of a plan. Without it: the default plan.'),
  overrides: z.record(limitNameSchema, overrideSchema).nullish().describe('By the name of the limit as sent.'),
})

/** A customer, as it is answered in lists. */
export const storedCustomerSchema = z.object({
  id: customerIdSchema,
  name: z.string().nullable(),
  note: z.string().nullable(),
  plan: z.string().nullable().describe('null: the default plan, if there is one.'),
  overrides: z.record(z.string(), overrideSchema),
  rev,
  changedAt: time,
})

const limitSchema = z
  .object({
    tokens: z.int().min(1),
    windowMs: z.int().min(1),
    burst: z.int().min(1),
    counts: z.enum(['cost', 'requests']),
  })
  .nullable()

/** A customer, as they are answered one by one. */
export const customerDetailSchema = storedCustomerSchema.extend({
  effective: z.object({
    plan: z.string().nullable().describe('The plan that holds.'),
    planFrom: z.enum(['customer', 'default', 'none']),
    split: z.int().min(1).describe('On how many servers limits are split; 1: each server enforces the whole limit.'),
    limits: z.array(
      z.object({
        name: z.string().describe('As it is sent.'),
        scope: z.string(),
        rule: z.enum(['override', 'plan', 'default plan']).describe('What says so.'),
        limit: limitSchema.describe('The whole limit; null: an override says that there is none.'),
        enforced: limitSchema.describe('What each server enforces.'),
      }),
    ),
    idle: z
      .array(z.object({ name: z.string(), why: z.enum(['ended', 'inherits', 'not in the plan']) }))
      .describe('Overrides that do nothing now.'),
  }),
})

/** A customer as they are stored. */
export type StoredCustomer = z.infer<typeof storedCustomerSchema>

/** What a customer is made of. */
export type CustomerBody = z.infer<typeof customerBodySchema>

/** One override. */
export type OverrideBody = z.infer<typeof overrideSchema>

/** Which limits hold for a customer, and which rule gave each. */
export type Effective = z.infer<typeof customerDetailSchema>['effective']
