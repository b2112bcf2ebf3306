/*
 * The door @rail/plans/sync-protocol: the messages between a server and a control plane.
 */

export {
  customer as customerSchema,
  override as overrideSchema,
  overrideValue as overrideValueSchema,
  plan as planSchema,
} from './base/plan-schema.js'
export {
  LARGEST_REPORT,
  SYNC_PATH,
  SYNC_PROTOCOL,
  type SyncChanges,
  type SyncDocument,
  type SyncEnvelope,
  type SyncReport,
  type SyncRequest,
  type SyncResponse,
  type SyncRevision,
  type SyncUsage,
  syncEnvelopeSchema,
  syncRequestSchema,
  syncResponseSchema,
} from './protocol/messages.js'
