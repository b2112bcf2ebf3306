import { overrideSchema as fullOverrideSchema, overrideValueSchema } from '@rail/plans/sync-protocol'
import { z } from 'zod'
import { limitNameSchema, nameSchema, rev, text, time } from '../base/schemas.js'

/** The operator's own id of a customer: the key of the customer's requests. */
export const customerIdSchema = text.min(1).max(1_024)

/** One override in full, or just its value. */
export const overrideSchema = z.union([overrideValueSchema, fullOverrideSchema])

/** An override in a request: it may have a duration instead of an end. */
export const overridePatchSchema = z.union([
  overrideValueSchema,
  fullOverrideSchema.extend({
    for: z
      .string()
      .max(20)
      .optional()
      .describe("How long it is in force from now, such as '24h'. Default: see expires."),
  }),
])

/** The content of a customer. */
export const customerBodySchema = z.strictObject({
  name: text.max(255).nullish().describe('For people. Default: none.'),
  note: text.max(2_000).nullish().describe('For people. Default: none.'),
  plan: nameSchema.nullish().describe('The name of a plan. Default: the default plan.'),
  overrides: z
    .record(limitNameSchema, overrideSchema)
    .nullish()
    .describe('By the name of the limit, as in the headers.'),
})

/** A customer, in lists. */
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

/** One customer, with the limits in force. */
export const customerDetailSchema = storedCustomerSchema.extend({
  effective: z.object({
    plan: z.string().nullable().describe('The plan in force.'),
    planFrom: z.enum(['customer', 'default', 'none']),
    split: z.int().min(1).describe('How many servers share a limit. 1: each server enforces the whole limit.'),
    limits: z.array(
      z.object({
        name: z.string().describe('As in the headers.'),
        scope: z.string(),
        rule: z.enum(['override', 'plan', 'default plan']).describe('Where the limit comes from.'),
        limit: limitSchema.describe('The whole limit. null: an override removes it.'),
        enforced: limitSchema.describe('What each server enforces.'),
      }),
    ),
    idle: z
      .array(z.object({ name: z.string(), why: z.enum(['ended', 'inherits', 'not in the plan']) }))
      .describe('Overrides without an effect now.'),
  }),
})

/** A customer, as stored. */
export type StoredCustomer = z.infer<typeof storedCustomerSchema>

/** The content of a customer. */
export type CustomerBody = z.infer<typeof customerBodySchema>

/** One override. */
export type OverrideBody = z.infer<typeof overrideSchema>

/** The limits in force for a customer, and the rule behind each. */
export type Effective = z.infer<typeof customerDetailSchema>['effective']
