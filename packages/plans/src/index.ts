export type { Schedule } from './base/schedule.js'
export { type PlanFile, type PlanFileOptions, type PlanFileStatus, planFile } from './file/plan-file.js'
export type { SyncSource } from './in-force/plans-in-force.js'
export { applyChanges } from './protocol/apply-changes.js'
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
} from './protocol/messages.js'
export type { SyncOptions } from './sync/sync-options.js'
export { type SyncedPlans, syncPlans } from './sync/sync-plans.js'
export type { SyncStatus } from './sync/sync-status.js'
