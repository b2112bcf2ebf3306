import { overrideSchema as fullOverrideSchema, overrideValueSchema, planSchema } from '@rail/plans/sync-protocol'
import { z } from 'zod'
import { SCOPES } from '../access/token.js'
import { PROBLEM_CODES } from './problem.js'
import { isStorable, NOT_STORABLE } from './storable.js'

// The shapes of the admin API, once: types, validation and the OpenAPI document all come from here.

const rev = z.int().min(0).describe('The revision it was last changed in. Send it as If-Match to change exactly this.')
const time = z.int().min(0).describe("Epoch milliseconds, by the control plane's clock.")
const author = z.string().min(1).max(255)
const text = z.string().refine(isStorable, NOT_STORABLE)

/** The header that says which revision a change is meant for. */
export const ifMatchSchema = z.looseObject({
  'if-match': z.string().optional().describe('The revision that this change is meant for, in quotes: "12".'),
})

/** The headers that say what a change is meant for. */
export const preconditionSchema = ifMatchSchema.extend({
  'if-none-match': z.string().optional().describe('*: only where there is nothing yet.'),
})

/** How many are wanted. @default 100 */
export const pageSchema = z.coerce.number().int().min(1).max(1_000).default(100)

/** A time in a query: epoch milliseconds. */
export const timeQuerySchema = z.coerce.number().int().min(0)

/** The name of a limit, as it is sent. */
export const limitNameSchema = z.string().min(1).max(512)

/** A plan's or token's own name. */
export const nameSchema = text.min(1).max(255)

/** The operator's own id of a customer: the key that requests are counted under. */
export const customerIdSchema = text.min(1).max(1_024)

/** What a plan is made of. */
export const planBodySchema = planSchema

/** A plan, as it is answered. */
export const storedPlanSchema = z.object({ name: nameSchema, ...planSchema.shape, rev, changedAt: time })

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

/** A server, as it last reported. */
export const serverSchema = z.object({
  id: z.string(),
  host: z.string(),
  pid: z.int().min(0),
  sdk: z.string(),
  startedAt: z.int().min(0).describe("Epoch milliseconds, by the server's own clock."),
  firstSync: time,
  lastSync: time,
  epoch: z.string().nullable(),
  rev: z.int().min(0).nullable().describe('What it has applied; null: nothing yet.'),
  isCurrent: z.boolean().describe('Whether that is the latest.'),
  source: z.enum(['live', 'disk', 'fallback']).describe('Where its limits come from.'),
  applyError: z
    .object({ epoch: z.string(), rev: z.int().min(0), message: z.string() })
    .nullable()
    .describe('Why it refused the last payload; the limits before it are still in force there.'),
  unknownScopes: z.array(z.string()).describe('Scopes that its program asks for and no plan has.'),
  state: z
    .enum(['running', 'silent', 'left', 'gone'])
    .describe(
      'silent: it has missed three syncs, and is counted. left: it said goodbye. gone: it is no longer counted.',
    ),
  counted: z.boolean().describe('Whether limits are split over it.'),
  countedUntil: time.describe('Ten minutes after its last sync, or its goodbye.'),
  leftAt: time.nullable().describe('When it said goodbye.'),
})

/** What a customer did. */
export const usageSchema = z.object({
  customer: z.string(),
  allowed: z.int().min(0).describe('Requests that were let in.'),
  refused: z.int().min(0).describe('Requests that were refused: never billable.'),
  peakPerSecond: z.int().min(0).describe('The most requests in any one second on any one server, refused ones too.'),
  refusedBy: z.record(z.string(), z.int().min(0)).describe('How many of the refused each limit refused.'),
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
  servers: z
    .enum(['each', 'split'])
    .describe('Rate limits across servers: each enforces the whole limit, or its share.'),
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

/** A plan as it is stored. */
export type StoredPlan = z.infer<typeof storedPlanSchema>
/** A customer as they are stored. */
export type StoredCustomer = z.infer<typeof storedCustomerSchema>
/** Which limits hold for a customer, and which rule gave each. */
export type Effective = z.infer<typeof customerDetailSchema>['effective']
/** A server, as it last reported. */
export type ServerInfo = Omit<z.infer<typeof serverSchema>, 'state' | 'counted' | 'isCurrent'>
/** A token as it is listed: what it may do and how it was used, never its secret. */
export type TokenInfo = z.infer<typeof tokenSchema>
/** What one customer did in a span of time, on all servers together. */
export type Usage = z.infer<typeof usageSchema>
/** The settings. */
export type Settings = z.infer<typeof settingsSchema>
/** A change, as it was made. */
export type Change = z.infer<typeof changeSchema>
/** What a plan is made of: its limits and its scopes. */
export type PlanBody = z.infer<typeof planBodySchema>
/** What a customer is made of. */
export type CustomerBody = z.infer<typeof customerBodySchema>
/** One override. */
export type OverrideBody = z.infer<typeof overrideSchema>
