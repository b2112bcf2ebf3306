import { z } from 'zod'
import { customer, plan } from '../base/plan-schema.js'

/**
 * The version of the protocol that this package speaks, in `v` of every request and response. A control plane answers
 * other versions with 400 and says which it speaks.
 */
export const SYNC_PROTOCOL = 1

/** The path that is asked, under the control plane's URL: `POST`, JSON both ways, `Authorization: Bearer <token>`. */
export const SYNC_PATH = '/v1/sync'

/** How many customers one report holds at most. What does not fit follows in the next report. */
export const LARGEST_REPORT = 20_000

const count = z.int().min(0)
const epochMs = z.int().min(0)
const servers = z.int().min(1)

// Objects of the envelope let fields pass that they do not know, so that either side may be the newer one. What is inside
// plans and customers is strict: a limit that is only half understood must be refused, never half enforced. No limit is
// said by leaving it out, never by null, because JSON turns NaN into null.

/**
 * Which state of the control plane a server has: `rev` grows by each change within an epoch. Another epoch (a random
 * text) is another history: the control plane's database is new, or was restored from a copy.
 */
const revision = z.object({ epoch: z.string().min(1).max(100), rev: count })

/** One customer in a report. Pairs, not an object: names come from users. */
const usage = z.tuple([
  z.string().min(1).describe('The customer.'),
  count.describe('Requests that were let in.'),
  count.describe('Requests that were refused. Never billable.'),
  count.describe('The most requests that came in any one second, refused ones too.'),
  z.array(z.tuple([z.string(), count])).describe('How many of them each limit refused, by its name as sent.'),
])

/**
 * What happened on one server since its last report. A report is sent, unchanged and under the same number, until it is
 * acknowledged; who receives it counts a number once per instance, and acknowledges it again when it comes again.
 */
const report = z.object({
  seq: z.int().min(1).describe('The number of this report: 1 for the first of an instance, then one more each.'),
  lengthMs: count.describe('How long it covers. The control plane tells the time: servers have clocks of their own.'),
  usage: z.array(usage).max(LARGEST_REPORT),
  unknown: z
    .array(z.string().min(1))
    .max(LARGEST_REPORT)
    .describe('Customers that were seen and are not in the document the server has. The control plane may add them.'),
  dropped: count.describe('Requests that are missing in usage, because too many customers were seen while offline.'),
})

/** What a server sends. */
export const syncRequestSchema = z.object({
  v: z.literal(SYNC_PROTOCOL),
  sdk: z.string().max(100).describe("The sender's name and version, such as '@rail/plans/1.0.0'."),
  instance: z.string().min(8).max(100).describe('A random text, new for each process. Servers are counted by it.'),
  host: z.string().max(255).describe('For people.'),
  pid: count.describe('For people.'),
  startedAt: epochMs.describe("When the process started, by the server's own clock. For people."),
  have: revision.optional().describe('What is applied, wherever it came from. Without it: nothing yet.'),
  servers: servers.optional().describe('How many servers its shares are reckoned with. Without it: not told yet.'),
  setting: z
    .enum(['each', 'split'])
    .optional()
    .describe('What it enforces: whole limits or shares. Without it: not told yet.'),
  source: z
    .enum(['live', 'disk', 'fallback'])
    .describe('Where the limits in force come from: this control plane, the copy on disk, or what was given.'),
  applyError: z
    .object({ epoch: z.string().max(100), rev: count, message: z.string().max(2_000) })
    .optional()
    .describe('The last payload was refused, and the limits before it are still in force.'),
  unknownScopes: z
    .array(z.string().max(255))
    .max(100)
    .optional()
    .describe('Scopes that the program asks for and no plan has.'),
  leaving: z.literal(true).optional().describe('Goodbye: the server is not to be counted from now on.'),
  report: report.optional(),
})

/** Settings that hold beside plans and customers; always sent whole. */
const settings = {
  defaultPlan: z.string().nullable().describe('The plan of customers without one; null: they have no limit.'),
}

/** The whole of plans and customers. */
const fullDocument = z.strictObject({
  ...settings,
  plans: z.array(z.tuple([z.string(), plan])),
  customers: z.array(z.tuple([z.string(), customer])),
})

/** What is different since `from`. A name that is both removed and set is set. */
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
  servers: servers.describe('How many servers are counted, the asking one too. Its share is reckoned with it.'),
  nextSyncMs: z.int().min(100).max(3_600_000).describe('When to ask again.'),
  serverTime: epochMs.describe("The control plane's clock. Overrides expire by it."),
  ackSeq: count.optional().describe('The report with this number, and all before it, need not be sent again.'),
}

/**
 * What a control plane answers, with status 200. `unchanged`: `rev` is what the server has. `delta`: `changes` lead from
 * `from`, which is what the server has, to `rev`. `full`: `document` is all there is at `rev`.
 *
 * `setting` and `servers` come with every answer, because they change without a new `rev`.
 */
export const syncResponseSchema = z.discriminatedUnion('kind', [
  z.object({ ...answer, kind: z.literal('unchanged') }),
  z.object({ ...answer, kind: z.literal('delta'), from: count, changes }),
  z.object({ ...answer, kind: z.literal('full'), document: fullDocument }),
])

/**
 * The same answers with plans and customers unread: a server has core read those, in slices, because reading 100,000 at
 * once would make its requests wait.
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

/** What a server sends. */
export type SyncRequest = z.infer<typeof syncRequestSchema>
/** What a control plane answers. */
export type SyncResponse = z.infer<typeof syncResponseSchema>
/** What a control plane answers, with plans and customers unread. */
export type SyncEnvelope = z.infer<typeof syncEnvelopeSchema>
/** What happened on one server since its last report. */
export type SyncReport = z.infer<typeof report>
/** One customer in a report: customer, allowed, refused, peak per second, and refusals by limit. */
export type SyncUsage = z.infer<typeof usage>
/** Which state of the control plane a server has. */
export type SyncRevision = z.infer<typeof revision>
/** Plans and customers, whole. */
export type SyncDocument = z.infer<typeof fullDocument>
/** What leads from one revision's document to the next's. */
export type SyncChanges = z.infer<typeof changes>
