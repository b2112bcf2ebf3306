export { applyChanges } from './apply-changes.js'
export { type PlanFile, type PlanFileOptions, type PlanFileStatus, planFile } from './plan-file.js'
export type { Schedule } from './schedule.js'
export type { SyncOptions } from './sync-options.js'
export { type SyncedPlans, syncPlans } from './sync-plans.js'
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
export type { SyncSource, SyncStatus } from './sync-status.js'
