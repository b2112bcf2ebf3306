export { type AddressKeyOptions, addressKey, type Tunnel } from './address/address-key.js'
export { checkOption, checkOptionNames, suggestionFor } from './base/check.js'
export { type Clock, monotonicClock, readClock } from './base/clock.js'
export { RailError, type RailErrorCode, shown, throwError } from './base/errors.js'
export { type ManualClock, manualClock } from './base/manual-clock.js'
export type { MaybePromise } from './base/maybe-promise.js'
export { isPromise } from './base/maybe-promise.js'
// For stores outside of core: what they need to decide exactly as the memory store does.
export { costFor, drained, fits, MOST_OWED } from './bucket/bucket.js'
export type { Decision, LimitStatus } from './bucket/decision.js'
export { decisionOf, statusOf } from './bucket/decision.js'
export type { LimitSource } from './bucket/limit-source.js'
export type { Store } from './bucket/store.js'
export { type HeaderOptions, headersFor } from './headers/draft-11.js'
export { type Field, type FieldReader, mergeField, mergeFields, type Standing } from './headers/field.js'
export type { HeaderStyle } from './headers/older-styles.js'
export { type ProblemOptions, problemBody, type RefusalBody } from './headers/problem.js'
export {
  type BareRefusal,
  type BodyMaker,
  jsonBody,
  type Refusal,
  type RefusalOptions,
  refusalFor,
} from './headers/refusal.js'
export type { Charge } from './limit/charge.js'
export { chargesBeside, disjoint, tokensTaken } from './limit/charge.js'
export { checkLimits } from './limit/check-limits.js'
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
export type {
  LimiterOptions,
  LimiterSettings,
  PlainCharging,
  RejectReply,
  RequestReader,
  RouteOptions,
  SeveralCharges,
} from './limiter/options.js'
export type { Outcome } from './limiter/outcome.js'
export { MemoryStore, type MemoryStoreOptions } from './memory/memory-store.js'
export { addFields, type HeadWriter } from './node/response-head.js'
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
export { type HeaderSource, type ParsedHeaders, parseHeaders } from './read/parse-headers.js'
export type { ParsedLimit } from './read/parsed-limit.js'
