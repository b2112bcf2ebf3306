import type { Decision } from '../bucket/decision.js'
import type { Field } from '../headers/field.js'
import type { Refusal } from '../headers/refusal.js'
import { NOT_COUNTED, type Outcome } from './outcome.js'
import type { RequestRecord } from './request-record.js'

/** An outcome that is kept in the record of its request. */
export class RecordedOutcome implements Outcome {
  readonly decision: Decision | undefined
  /** Replaced by `settle`. */
  headers: readonly Field[]
  readonly refusal: Refusal | undefined
  readonly #record: RequestRecord

  constructor(
    record: RequestRecord,
    decision: Decision | undefined,
    headers: readonly Field[],
    refusal: Refusal | undefined,
  ) {
    this.decision = decision
    this.headers = headers
    this.refusal = refusal
    this.#record = record
  }

  /** A function of its own, made when it is read: few requests are settled. */
  get settle(): (actualCost: number) => void {
    const record = this.#record
    // Where the store has failed, what an earlier route took is not this outcome's.
    return this.decision === undefined ? NOT_COUNTED.settle : (actualCost) => record.limiter.settle(record, actualCost)
  }

  /** The same outcome with another refusal. */
  with(refusal: Refusal): RecordedOutcome {
    return new RecordedOutcome(this.#record, this.decision, this.headers, refusal)
  }

  /** Has the response send this outcome's headers, before it is made whole. */
  show(): void {
    this.#record.outcome = this
  }

  /** The record of an outcome; `undefined` for one that an adapter has made. */
  static recordOf(outcome: object): RequestRecord | undefined {
    return #record in outcome ? outcome.#record : undefined
  }
}
