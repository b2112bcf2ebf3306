import { z } from 'zod'
import { customer, plan } from '../base/plan-schema.js'

/**
 * The version of the protocol, in `v` of every request and response. A control plane answers any other version with 400 and
 * the version that it supports.
 */
export const SYNC_PROTOCOL = 1

/** The path under the control plane's URL: `POST`, JSON both ways, `Authorization: Bearer <token>`. */
export const SYNC_PATH = '/v1/sync'

/** The most customers in one report. The others follow in the next report. */
export const LARGEST_REPORT = 20_000

const count = z.int().min(0)
const epochMs = z.int().min(0)
const servers = z.int().min(1)

// Unknown members of a message are ignored, so that either side may be the newer one. Plans and customers are strict: a
// limit with an unknown member must be refused, never enforced in part. A limit that is left out is no limit; null is an
// error, because JSON turns NaN into null.

/**
 * A state of the control plane: `rev` grows with each change within an epoch. Another epoch (a random string) is another
 * history: the control plane's database is new, or was restored from a copy.
 */
const revision = z.object({ epoch: z.string().min(1).max(100), rev: count })

/** One customer in a report. A tuple, not an object, because names come from users. */
const usage = z.tuple([
  z.string().min(1).describe('The customer.'),
  count.describe('Allowed requests.'),
  count.describe('Refused requests. Never billable.'),
  count.describe('The most requests in any one second, refused ones too.'),
  z.array(z.tuple([z.string(), count])).describe('The refused requests by limit, by its name as sent.'),
])

/**
 * The requests on one server since its last report. A report is sent, unchanged and with the same number, until it is
 * acknowledged. The receiver counts each number of an instance once, and acknowledges it each time it comes.
 */
const report = z.object({
  seq: z.int().min(1).describe('The number of this report: 1, 2, 3, … for each instance.'),
  lengthMs: count.describe(
    'The time it covers. The control plane dates it by its own clock: those of servers may differ.',
  ),
  usage: z.array(usage).max(LARGEST_REPORT),
  unknown: z
    .array(z.string().min(1))
    .max(LARGEST_REPORT)
    .describe('Customers with requests who are not in the document of the server. The control plane may add them.'),
  dropped: count.describe(
    'Requests that are not in usage, because there were too many customers since the last report.',
  ),
})

/** The request of a server. */
export const syncRequestSchema = z.object({
  v: z.literal(SYNC_PROTOCOL),
  sdk: z.string().max(100).describe("The sender's name and version, such as '@rail/plans/1.0.0'."),
  instance: z.string().min(8).max(100).describe('A random string, new for each process. Servers are counted by it.'),
  host: z.string().max(255).describe('For people.'),
  pid: count.describe('For people.'),
  startedAt: epochMs.describe("When the process started, by the server's own clock. For people."),
  have: revision.optional().describe('The revision in force, from any source. Missing: none yet.'),
  servers: servers
    .optional()
    .describe('The number of servers that its shares are computed with. Missing: not known yet.'),
  setting: z
    .enum(['each', 'split'])
    .optional()
    .describe('What it enforces: whole limits or shares. Missing: not known yet.'),
  source: z
    .enum(['live', 'disk', 'fallback'])
    .describe('Where the limits in force come from: this control plane, the copy on disk, or the option fallback.'),
  applyError: z
    .object({ epoch: z.string().max(100), rev: count, message: z.string().max(2_000) })
    .optional()
    .describe('The last payload was refused, and the limits before it are still in force.'),
  unknownScopes: z
    .array(z.string().max(255))
    .max(100)
    .optional()
    .describe('Scopes that the program uses and no plan has.'),
  leaving: z.literal(true).optional().describe('The server leaves: it is no longer counted.'),
  report: report.optional(),
})

/** Settings beside plans and customers; always sent whole. */
const settings = {
  defaultPlan: z.string().nullable().describe('The plan of customers without one; null: none, so no limit.'),
}

/** All plans and customers. */
const fullDocument = z.strictObject({
  ...settings,
  plans: z.array(z.tuple([z.string(), plan])),
  customers: z.array(z.tuple([z.string(), customer])),
})

/** The changes since `from`. A name that is both removed and set is set. */
const changes = z.strictObject({
  ...settings,
  plans: z.array(z.tuple([z.string(), plan])),
  removedPlans: z.array(z.string()),
  customers: z.array(z.tuple([z.string(), customer])),
  removedCustomers: z.array(z.string()),
})

const answer = {
  v: z.literal(SYNC_PROTOCOL),
  epoch: revision.shape.epoch,
  rev: revision.shape.rev,
  setting: z.enum(['each', 'split']).describe('Whether each server enforces the whole limit, or its share.'),
  servers: servers.describe('The number of counted servers, with this one. Its share is computed with it.'),
  nextSyncMs: z.int().min(100).max(3_600_000).describe('The time until the next request.'),
  serverTime: epochMs.describe("The control plane's clock. Overrides expire by it."),
  ackSeq: count.optional().describe('The report with this number, and all before it, need not be sent again.'),
}

/**
 * The answer of a control plane, with status 200. `unchanged`: the server has `rev`. `delta`: `changes` lead from `from`,
 * which the server has, to `rev`. `full`: `document` is everything at `rev`.
 *
 * `setting` and `servers` come with every answer, because they change without a new `rev`.
 */
export const syncResponseSchema = z.discriminatedUnion('kind', [
  z.object({ ...answer, kind: z.literal('unchanged') }),
  z.object({ ...answer, kind: z.literal('delta'), from: count, changes }),
  z.object({ ...answer, kind: z.literal('full'), document: fullDocument }),
])

/**
 * The same answers with plans and customers unchecked: core checks those in slices, because a check of 100,000 at once would
 * delay requests.
 */
export const syncEnvelopeSchema = z.discriminatedUnion('kind', [
  z.object({ ...answer, kind: z.literal('unchanged') }),
  z.object({
    ...answer,
    kind: z.literal('delta'),
    from: count,
    changes: changes.extend({ plans: z.array(z.unknown()), customers: z.array(z.unknown()) }),
  }),
  z.object({
    ...answer,
    kind: z.literal('full'),
    document: fullDocument.extend({ plans: z.array(z.unknown()), customers: z.array(z.unknown()) }),
  }),
])

/** The request of a server. */
export type SyncRequest = z.infer<typeof syncRequestSchema>
/** The answer of a control plane. */
export type SyncResponse = z.infer<typeof syncResponseSchema>
/** The answer of a control plane, with plans and customers unchecked. */
export type SyncEnvelope = z.infer<typeof syncEnvelopeSchema>
/** The requests on one server since its last report. */
export type SyncReport = z.infer<typeof report>
/** One customer in a report: customer, allowed, refused, peak per second, and refusals by limit. */
export type SyncUsage = z.infer<typeof usage>
/** A state of the control plane. */
export type SyncRevision = z.infer<typeof revision>
/** All plans and customers. */
export type SyncDocument = z.infer<typeof fullDocument>
/** The changes from one revision to another. */
export type SyncChanges = z.infer<typeof changes>
