import type { MaybePromise } from '../base/maybe-promise.js'
import type { Charge } from '../limit/charge.js'
import type { Decision } from './decision.js'

/**
 * A place for buckets. A store has no clock: `now` is whole milliseconds from any fixed moment, and may step back.
 * Decisions are immutable and computed in the same tick as the take. A wrong call throws (or rejects), and takes nothing:
 * `checkedCharges` and `checkNow` check it.
 *
 * `testStore` of `@rail/conformance` is the contract: run it against an implementation.
 */
export interface Store {
  /**
   * Whether several servers count in it, as in Redis: then a source returns whole limits, never a server's share.
   * @default false
   */
  readonly isShared?: boolean | undefined
  /**
   * Checks every bucket of every charge, then takes from all of them or from none.
   *
   * `before`: the charges that this same request took earlier, as it took them. They are given back first, so that a route
   * which costs more than its router takes only the difference. A bucket that `charges` name as well is given back under
   * the limit of `charges`; any other bucket under the limit that it has now, as by `settle`. On a refusal nothing of the
   * request stays taken: the store gives back and takes nothing. To keep an earlier charge, pass it in `charges` too.
   */
  take(charges: readonly Charge[], now: number, before?: readonly Charge[]): MaybePromise<Decision>
  /** Returns the decision that take would make. Takes and gives back nothing, and does not make a key recent. */
  peek(charges: readonly Charge[], now: number, before?: readonly Charge[]): MaybePromise<Decision>
  /**
   * Corrects an allowed take once the actual cost is known: takes or gives back the difference between `actual` and each
   * charge's cost. May push a bucket into debt, never above full. Limits that count requests stay as they are.
   */
  settle(charges: readonly Charge[], actual: number, now: number): MaybePromise<void>
  /** Forgets a key in a scope (`''` by default): its buckets are full again. */
  reset(key: string, scope?: string): MaybePromise<void>
  /**
   * Forgets the definition of the limit of a scope and a name, so that another limiter on this store can define it again.
   * Spent tokens stay spent. Only stores that several limiters share need it: call `forgetLimit(this, scope, name)`.
   */
  forget?(scope: string, name: string): void
}

/** A store that answers at once, such as a memory store. */
export interface SynchronousStore extends Store {
  take(charges: readonly Charge[], now: number, before?: readonly Charge[]): Decision
  /** The same buckets for one limiter, which is made with this store as its `onStoreFailure`. @default the store itself */
  forLimiter?(limiter: LimiterOfStore): SynchronousStore
}

/** What a store can learn from the limiter that it stands in for. */
export interface LimiterOfStore {
  /** The number of servers by the limiter's source of limits, where that knows it: see `LimitSource.servers`. */
  readonly servers: (() => number | undefined) | undefined
  /** Reports an error to the limiter's `onError`. */
  readonly report: (error: unknown) => void
}

/** Whether a value has the methods of a store. */
export function isStore(value: unknown): value is Store {
  const store = (value ?? {}) as Record<string, unknown>
  return typeof value === 'object' && METHODS.every((name) => typeof store[name] === 'function')
}

const METHODS = ['take', 'peek', 'settle', 'reset']
