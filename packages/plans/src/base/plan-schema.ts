import { z } from 'zod'

// The shapes of a plan document: the types, the validation of messages and the published JSON Schema come from here.
// Core checks the rest: whether a named plan exists, and whether a bucket is small enough to count.

const tokens = z.int().min(1).max(999_999_999_999_999)

const duration = z.union([
  z
    .templateLiteral([z.number(), z.enum(['ms', 's', 'm', 'h', 'd', ' ms', ' s', ' m', ' h', ' d'])])
    .describe("A string such as '10s'; the units are ms, s, m, h, d."),
  z.int().min(1).describe('Whole milliseconds.'),
])

const limit = z
  .strictObject({
    tokens: tokens.describe('Tokens per window.'),
    per: duration.optional().describe('The window. Required unless the name contains it.'),
    burst: tokens.optional().describe("The bucket's size in tokens. Default: tokens."),
    counts: z
      .enum(['cost', 'requests'])
      .optional()
      .describe("What a request is charged: its cost, or always 1. Default: 'cost'."),
  })
  .meta({ id: 'limit', description: 'A limit in full.' })

const limits = z
  .record(z.string(), z.union([tokens, limit]))
  .describe('Limits by name. A number is enough for per_second, per_minute, per_hour and per_day.')

/** A plan: its limits, and the limits of its scopes. */
export const plan = z
  .strictObject({
    limits: limits.optional().describe('The limits of every request.'),
    scopes: z.record(z.string(), limits).optional().describe('The limits of each scope, such as writes.'),
  })
  .meta({ id: 'plan', description: 'A named set of limits.' })

/** The value of an override. */
export const overrideValue = z.union([
  z.enum(['inherit', 'no-limit']).describe("'inherit': the plan's limit; 'no-limit': no such limit."),
  tokens.describe('The tokens per window of the limit.'),
])

/** An override in full. */
export const override = z
  .strictObject({
    tokens: overrideValue.describe("'inherit', 'no-limit', or the tokens per window of the limit."),
    burst: tokens
      .optional()
      .describe("The bucket's size in tokens. Default: the plan's burst, in proportion to the tokens."),
    expires: z
      .union([z.iso.datetime({ offset: true }), z.int().min(0)])
      .optional()
      .describe('When it ends: epoch milliseconds, or an RFC 3339 string. Default: never.'),
    reason: z.string().optional().describe('Why it was made, for people.'),
    author: z.string().optional().describe('Who made it, for people.'),
  })
  .meta({ id: 'override', description: 'An override of one limit for one customer.' })

/** A customer: their plan, and their overrides of it. */
export const customer = z
  .strictObject({
    plan: z.string().optional().describe('The name of a plan. Default: the default plan.'),
    overrides: z
      .record(z.string(), z.union([overrideValue, override]))
      .optional()
      .describe("By the limit's name as it is sent: per_second, or writes.per_minute for a limit of a scope."),
  })
  .meta({ id: 'customer', description: 'A customer: their plan, and their overrides of it.' })

/** A plan document, as it is in a file. */
export const planDocumentSchema = z
  .strictObject({
    $schema: z.string().optional().describe('For editors.'),
    plans: z.record(z.string(), plan).describe('The plans, by name.'),
    customers: z.record(z.string(), customer).optional().describe('The customers, by the key they are counted under.'),
    defaultPlan: z
      .string()
      .optional()
      .describe('The plan of a customer who has none, or who is not listed. Default: none, so no limit.'),
    servers: z
      .union([z.literal('each'), z.strictObject({ split: z.int().min(1) })])
      .optional()
      .describe(
        "'each': every server enforces the whole limit; { split: 4 }: each of four servers enforces its share.",
      ),
  })
  .describe('Plans and their customers.')

/** The JSON Schema (draft 2020-12) of a plan file, for editors. */
export function planFileSchema(): object {
  return z.toJSONSchema(planDocumentSchema, { io: 'input' })
}
