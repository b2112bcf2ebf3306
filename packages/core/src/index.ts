// What users of Rail import. Adapters export all of it too.
export { type AddressKeyOptions, addressKey, type Tunnel } from './address/address-key.js'
export { type Clock, monotonicClock } from './base/clock.js'
export { RailError, type RailErrorCode } from './base/errors.js'
export { type ManualClock, manualClock } from './base/manual-clock.js'
export type { MaybePromise } from './base/maybe-promise.js'
export type { Decision, LimitStatus } from './bucket/decision.js'
export type { LimitSource } from './bucket/limit-source.js'
export type { Store, SynchronousStore } from './bucket/store.js'
export { draft11 } from './headers/draft-11.js'
export { exposed } from './headers/exposed.js'
export type { Field, FieldReader, Standing } from './headers/field.js'
export type { HeaderOption, HeaderStyle } from './headers/header-style.js'
export { type HeaderOptions, headersFor } from './headers/headers-for.js'
export { draft6, draft7, xRateLimit } from './headers/older-styles.js'
export { type ProblemMembers, type ProblemOptions, problem } from './headers/problem.js'
export { type Refusal, type RefusalOptions, refusalFor } from './headers/refusal.js'
export type { OnReject, RejectReply } from './headers/reject.js'
export { unshared } from './headers/unshared.js'
export type { Charge } from './limit/charge.js'
export { type Duration, durationMs } from './limit/duration.js'
export {
  type Limit,
  type LimitDefinition,
  type LimitOptions,
  limit,
  perDay,
  perHour,
  perMinute,
  perSecond,
} from './limit/limit.js'
export { share } from './limit/share.js'
export { createLimiter, type Limiter } from './limiter/limiter.js'
export { type LocalStoreOptions, localStore } from './limiter/local-store.js'
export type {
  Charging,
  LimiterOptions,
  LimiterSettings,
  PlainCharging,
  RouteOptions,
  SeveralCharges,
} from './limiter/options.js'
export type { Outcome } from './limiter/outcome.js'
export type { PreflightCredentials, Preflights } from './limiter/preflight.js'
export { several } from './limiter/several.js'
export { MemoryStore, type MemoryStoreOptions } from './memory/memory-store.js'
export { createPlanBook, type PlanBook, type PlanBookOptions, planProblems } from './plans/book.js'
export type {
  ByName,
  OverrideValue,
  Plan,
  PlanChanges,
  PlanCustomer,
  PlanDocument,
  PlanLimit,
  PlanLimits,
  PlanOverride,
} from './plans/document.js'
export type { ExplainedLimit, IdleOverride, PlanExplanation } from './plans/explanation.js'
export { type PlanProblem, pathText } from './plans/problems.js'
