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
  /**
   * Checks every bucket of every charge, then takes from all of them or from none.
   *
   * @param before What this same request has taken from this store earlier: it is given back first, so that a costlier
   * route takes only the difference. Buckets of it that are to stay charged are among `charges` too. A refusal leaves
   * nothing of the request taken.
   */
  take(charges: readonly Charge[], now: number, before?: readonly Charge[]): MaybePromise<Decision>
  /** The decision that take would make, without taking, and without making a key recent. */
  peek(charges: readonly Charge[], now: number, before?: readonly Charge[]): MaybePromise<Decision>
  /**
   * Corrects what an allowed take took, once the true cost is known: moves the difference between `actual` and each
   * charge's cost. May push a bucket into debt, never above full. Limits that count requests stay as they are.
   */
  settle(charges: readonly Charge[], actual: number, now: number): MaybePromise<void>
  /** Forgets a key in a scope (`''` by default): its buckets are full again. */
  reset(key: string, scope?: string): MaybePromise<void>
}

/** Whether a value has the methods of a store. */
export function isStore(value: unknown): value is Store {
  const store = (value ?? {}) as Record<string, unknown>
  return (
    typeof value === 'object' && ['take', 'peek', 'settle', 'reset'].every((name) => typeof store[name] === 'function')
  )
}
