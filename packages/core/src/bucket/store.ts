import type { MaybePromise } from '../base/maybe-promise.js'
import type { Charge } from '../limit/charge.js'
import type { Decision } from './decision.js'

/**
 * Where buckets live. A store has no clock: `now` is whole milliseconds from any fixed moment, and may step back.
 * Decisions are immutable and computed in the same tick as the take. The charges are checked by who calls.
 *
 * `testStore` of `@rail/conformance` is the contract, to be run against any implementation.
 */
export interface Store {
  /** Asks every bucket of every charge, then takes from all of them or from none. */
  take(charges: readonly Charge[], now: number): MaybePromise<Decision>
  /** The decision that take would make, without taking, and without making a key recent. */
  peek(charges: readonly Charge[], now: number): MaybePromise<Decision>
  /**
   * Corrects what an allowed take took, once the true cost is known: moves the difference between `actual` and each
   * charge's cost. May push a bucket into debt, never above full. Limits that count requests stay as they are.
   */
  settle(charges: readonly Charge[], actual: number, now: number): MaybePromise<void>
  /** Forgets a key in a scope (`''` by default): its buckets are full again. */
  reset(key: string, scope?: string): MaybePromise<void>
}
