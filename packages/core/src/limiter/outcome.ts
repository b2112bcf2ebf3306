import type { Decision } from '../bucket/decision.js'
import type { Field } from '../headers/field.js'
import type { Refusal } from '../headers/refusal.js'

/** The limiter's answer to one request, as data: adapters cannot disagree about it. */
export interface Outcome {
  /** `undefined` when the request was not counted: skipped, anonymous, without limits, or the store failed. */
  readonly decision?: Decision | undefined
  /**
   * All headers to send, whatever becomes of the request; those of a refusal too. `settle` changes them: read them when the
   * response's head is written.
   */
  readonly headers: readonly Field[]
  /** The answer to send instead of going on; `undefined`: go on. */
  readonly refusal?: Refusal | undefined
  /**
   * Corrects the cost once the final one is known: a whole number of tokens. Only the first call counts. Does nothing after
   * a refusal, a dry run or a failure of the store. Never throws: errors go to `onError`. A copy by `{ ...outcome }` lacks it.
   */
  readonly settle: (actualCost: number) => void
}

/** The outcome of a request that was not counted. */
export const NOT_COUNTED: Outcome = { decision: undefined, headers: [], refusal: undefined, settle: () => {} }
