import type { Decision } from '../bucket/decision.js'
import type { Field } from '../headers/field.js'
import type { Refusal } from '../headers/refusal.js'
import { NOTHING } from './answer.js'

/** What a limiter answers about one request: data, so that adapters cannot disagree. */
export interface Outcome {
  /** `undefined` when the request was not counted: skipped, anonymous, without limits, or the store failed. */
  readonly decision?: Decision | undefined
  /** All fields to send, whatever becomes of the request: `Retry-After` and `Cache-Control` of a refusal too. */
  readonly headers: readonly Field[]
  /** What to answer instead of going on; `undefined`: go on. */
  readonly refusal?: Refusal | undefined
  /**
   * Corrects the cost once the true one is known: a whole number of tokens. The first call counts; nothing happens after a
   * refusal, a dry run or a failure of the store. Never throws: what goes wrong is told to `onError`.
   */
  readonly settle: (actualCost: number) => void
}

/** The outcome of a request that was not counted. */
export const UNCOUNTED: Outcome = Object.freeze({ decision: undefined, ...NOTHING, settle: () => {} })
