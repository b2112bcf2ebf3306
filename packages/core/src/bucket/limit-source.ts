import type { MaybePromise } from '../base/maybe-promise.js'
import type { Limit } from '../limit/limit.js'
import type { Decision } from './decision.js'

/** A source of limits: a plan book, a plan file, a control plane. */
export interface LimitSource {
  /**
   * The limits of a key in a scope (`''`: the plan's own). `[]`: no limit. The same array until something changes.
   *
   * @param isShared Whether several servers count in the store: then the limits are whole, never this server's share.
   */
  limitsFor(key: string, scope: string, isShared?: boolean): MaybePromise<readonly Limit[]>
  /** The number of servers that the requests are spread over; `undefined` while it is not known. */
  servers?(): number | undefined
  /** Called with each decision. `earlier`: the decision that this one replaces, where a route charged one request again. */
  onDecision?(decision: Decision, earlier: Decision | undefined): void
}

/** Whether a value is a source of limits. */
export function isLimitSource(value: unknown): value is LimitSource {
  return typeof value === 'object' && value !== null && typeof (value as Partial<LimitSource>).limitsFor === 'function'
}
