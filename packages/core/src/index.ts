export { type AddressKeyOptions, addressKey, type Tunnel } from './address-key.js'
// For stores outside of core: what they need to decide exactly as the memory store does.
export { costFor, drained, fits, MOST_OWED } from './bucket.js'
export type { Charge } from './charge.js'
export { disjoint } from './charge.js'
export { type Clock, monotonicClock, readClock } from './clock.js'
export type { Decision, LimitStatus } from './decision.js'
export { decisionOf, statusOf } from './decision.js'
export { type Duration, durationMs } from './duration.js'
export { RailError, type RailErrorCode, shown, throwError } from './errors.js'
export { type Field, type FieldReader, mergeField, mergeFields, type Standing } from './field.js'
export type { HeaderStyle } from './header-styles.js'
export { type HeaderOptions, headersFor } from './headers.js'
export {
  type Limit,
  type LimitDefinition,
  type LimitOptions,
  limit,
  perDay,
  perHour,
  perMinute,
  perSecond,
} from './limit.js'
export { createLimiter, type Limiter, type Outcome } from './limiter.js'
export type {
  LimiterOptions,
  LimiterSettings,
  PlainCharging,
  RejectReply,
  RequestReader,
  RouteOptions,
  SeveralCharges,
} from './limiter-options.js'
export { type ManualClock, manualClock } from './manual-clock.js'
export { isPromise } from './maybe-promise.js'
export { MemoryStore, type MemoryStoreOptions } from './memory-store.js'
export { checkOption, checkOptionNames, suggestionFor } from './options.js'
export { type HeaderSource, type ParsedHeaders, parseHeaders } from './parse-headers.js'
export type { ParsedLimit } from './parsed-limit.js'
export { createPlanBook, type PlanBook, type PlanBookOptions, planProblems } from './plan-book.js'
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
} from './plan-document.js'
export type { ExplainedLimit, IdleOverride, PlanExplanation } from './plan-explanation.js'
export { type PlanProblem, pathText } from './plan-problems.js'
export { type ProblemOptions, problemBody, type RefusalBody } from './problem.js'
export { type BareRefusal, type BodyMaker, jsonBody, type Refusal, type RefusalOptions, refusalFor } from './refusal.js'
export { addFields, type HeadWriter } from './response-head.js'
export { share } from './share.js'
export { checkLimits, type LimitSource } from './source.js'
export type { MaybePromise, Store } from './store.js'
