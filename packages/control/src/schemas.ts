import { customerSchema, planSchema } from '@rail/plans/sync-protocol'
import { z } from 'zod'
import { PROBLEM_CODES } from './problem.js'
import { SCOPES } from './token.js'

// The shapes of the admin API, once: types, validation and the OpenAPI document all come from here.

const rev = z.int().min(0).describe('The revision it was last changed in. Send it as If-Match to change exactly this.')
const time = z.int().min(0).describe("Epoch milliseconds, by the control plane's clock.")
const author = z.string().min(1).max(255)

/** A plan's or token's own name. */
export const nameSchema = z.string().min(1).max(255)

/** The operator's own id of a customer: the key that requests are counted under. */
export const customerIdSchema = z.string().min(1).max(1_024)

/** What a plan is made of. */
export const planBodySchema = planSchema

/** A plan, as it is answered. */
export const storedPlanSchema = z.object({ name: nameSchema, ...planSchema.shape, rev, changedAt: time })

/** One override in full, or just its value. */
export const overrideSchema = customerSchema.shape.overrides.unwrap().valueType

/** What a customer is made of. */
export const customerBodySchema = z.strictObject({
  name: z.string().max(255).nullish().describe('For people. Without it: none.'),
  note: z.string().max(2_000).nullish().describe('For people. Without it: none.'),
  plan: nameSchema.nullish().describe('The name of a plan. Without it: the default plan.'),
  overrides: z.record(z.string().min(1).max(512), overrideSchema).nullish().describe('By the name of the limit as sent.'),
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

/** An error, as problem details (RFC 9457). */
export const problemSchema = z.object({
  type: z.literal('about:blank'),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.enum(PROBLEM_CODES as [string, ...string[]]).describe('For programs; it never changes.'),
  errors: z
    .array(z.object({ path: z.string(), message: z.string() }))
    .optional()
    .describe('What is wrong, place by place.'),
})

/** The settings, as they are answered. */
export const settingsSchema = z.object({
  servers: z.enum(['each', 'split']).describe('Rate limits across servers: each enforces the whole limit, or its share.'),
  defaultPlan: z.string().nullable().describe('The plan of customers who have none; null: they have no limit.'),
  rev,
})

/** What may be set; what is left out stays. */
export const settingsBodySchema = z.strictObject(settingsSchema.omit({ rev: true }).partial().shape)

/** A token, without its secret. */
export const tokenSchema = z.object({
  selector: z.string().describe("Names the token: the part after the scope in the token's text."),
  scope: z.enum(SCOPES),
  label: nameSchema,
  createdAt: time,
  usedAt: time.nullable().describe('When it was last used, to the hour.'),
})

/** A change, as it was made. */
export const changeSchema = z.object({
  number: z.int().min(1).describe('Counts up over all changes.'),
  rev: z.int().min(0),
  at: time,
  author,
  kind: z.enum(['plan', 'customer', 'setting', 'token', 'server']),
  id: z.string(),
  before: z.unknown().describe('null: it was not there.'),
  after: z.unknown().describe('null: it is gone.'),
})

/** What a plan is made of: its limits and its scopes. */
export type PlanBody = z.infer<typeof planBodySchema>
/** What a customer is made of. */
export type CustomerBody = z.infer<typeof customerBodySchema>
/** One override. */
export type OverrideBody = z.infer<typeof overrideSchema>
