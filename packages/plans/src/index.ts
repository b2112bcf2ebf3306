export { applyChanges } from './apply-changes.js'
export {
  LARGEST_REPORT,
  SYNC_PATH,
  SYNC_PROTOCOL,
  type SyncChanges,
  type SyncDocument,
  type SyncReport,
  type SyncRequest,
  type SyncResponse,
  type SyncRevision,
  type SyncUsage,
  syncRequestSchema,
  syncResponseSchema,
} from './sync-protocol.js'
