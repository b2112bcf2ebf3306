import { z } from 'zod'

// The shapes of a plan document, once: types, validation on the wire and the published JSON Schema all come from here.
// What a shape cannot say (a plan that is named but missing, a bucket too large to count) is core's to check.

const tokens = z.int().min(1).max(999_999_999_999_999)

const duration = z.union([
  z
    .templateLiteral([z.number(), z.enum(['ms', 's', 'm', 'h', 'd', ' ms', ' s', ' m', ' h', ' d'])])
    .describe("A text like '10s'; the units are ms, s, m, h, d."),
  z.int().min(1).describe('Whole milliseconds.'),
])

const limit = z
  .strictObject({
    tokens: tokens.describe('How many tokens per window.'),
    per: duration.optional().describe('The window. Required, except where the name says it.'),
    burst: tokens.optional().describe("The bucket's size in tokens. Without it: as many as tokens."),
    counts: z
      .enum(['cost', 'requests'])
      .optional()
      .describe("What a request takes: its cost, or always 1. Without it: 'cost'."),
  })
  .meta({ id: 'limit', description: 'A limit in full.' })

const limits = z
  .record(z.string(), z.union([tokens, limit]))
  .describe('Limits by name. A number is enough for per_second, per_minute, per_hour and per_day.')

/** A plan: its limits, and the limits of its scopes. */
export const plan = z
  .strictObject({
    limits: limits.optional().describe('The limits of every request. A dimension that is left out has no limit.'),
    scopes: z.record(z.string(), limits).optional().describe('Limits of their own for scopes, such as writes.'),
  })
  .meta({ id: 'plan', description: 'A named set of limits.' })

/** What an override says. */
export const overrideValue = z.union([
  z.enum(['inherit', 'no-limit']).describe("'inherit': as the plan says; 'no-limit': no such limit."),
  tokens.describe("So many tokens in the limit's window."),
])

/** An override in full. */
export const override = z
  .strictObject({
    tokens: overrideValue.describe("'inherit', 'no-limit', or a number of tokens in the limit's window."),
    burst: tokens.optional().describe("The bucket's size. Without it: the plan's burst, in proportion to the tokens."),
    expires: z
      .union([z.iso.datetime({ offset: true }), z.int().min(0)])
      .optional()
      .describe('When it ends: epoch milliseconds, or RFC 3339 text. Without it: never.'),
    reason: z.string().optional().describe('Why, for people.'),
    author: z.string().optional().describe('Who made it, for people.'),
  })
  .meta({ id: 'override', description: 'An exception for one customer and one limit.' })

/** A customer: the plan they are on, and where they differ from it. */
export const customer = z
  .strictObject({
    plan: z.string().optional().describe('The name of a plan. Without it: the default plan.'),
    overrides: z
      .record(z.string(), z.union([overrideValue, override]))
      .optional()
      .describe("By the limit's name as it is sent: per_second, or writes.per_minute for a scope's."),
  })
  .meta({ id: 'customer', description: 'Who pays: the plan they are on, and where they differ from it.' })

/** A plan document, as a file holds it. */
export const planDocumentSchema = z
  .strictObject({
    $schema: z.string().optional().describe('For editors.'),
    plans: z.record(z.string(), plan).describe('The plans, by name.'),
    customers: z.record(z.string(), customer).optional().describe('The customers, by the key they are counted under.'),
    defaultPlan: z
      .string()
      .optional()
      .describe('The plan of a customer who has none, or who is not listed. Without it: they have no limit.'),
    servers: z
      .union([z.literal('each'), z.strictObject({ split: z.int().min(1) })])
      .optional()
      .describe("'each': every server enforces the whole limit; { split: 4 }: a quarter each."),
  })
  .describe('Plans and who is on them.')

/** The JSON Schema (draft 2020-12) of a plan file, which editors complete and check by. */
export function planFileSchema(): object {
  return z.toJSONSchema(planDocumentSchema, { io: 'input' })
}
