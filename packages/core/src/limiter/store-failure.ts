import { advice } from '../base/advice.js'
import { isRailError, railError, unexpected } from '../base/errors.js'
import { attempt, isPromise, type MaybePromise } from '../base/maybe-promise.js'
import { replacementFor } from '../base/suggestion.js'
import type { Decision } from '../bucket/decision.js'
import { isStore, type LimiterOfStore, type Store, type SynchronousStore } from '../bucket/store.js'
import type { LimiterSettings } from './options.js'
import { NOT_COUNTED, type Outcome } from './outcome.js'
import type { Turn } from './request-record.js'

/** Answers a request whose store has failed. */
export type WithoutStore<Request> = (
  turn: Turn<Request>,
  /** Makes the outcome of another store's decision. */
  answer: (turn: Turn<Request>, from: Store, decision: Decision) => MaybePromise<Outcome>,
) => MaybePromise<Outcome>

/**
 * What the option `onStoreFailure` does.
 *
 * @param unavailable The outcome that refuses a request with 503.
 * @param limiter What another store can learn from the limiter.
 * @throws RailError `RAIL_BAD_OPTION`
 */
export function withoutStoreFor<Request>(
  option: LimiterSettings<Request>['onStoreFailure'] = 'allow',
  unavailable: (turn: Turn<Request>) => MaybePromise<Outcome>,
  limiter: LimiterOfStore,
): WithoutStore<Request> {
  if (option === 'allow') return () => NOT_COUNTED
  if (option === 'refuse') return unavailable
  if (isStore(option)) return insteadBy(option.forLimiter?.(limiter) ?? option, limiter.report)
  const toDo = replacementFor(option, 'Import localStore and write localStore({ servers }).')
  throw unexpected('RAIL_BAD_OPTION', 'onStoreFailure', "'allow', 'refuse' or a store", option, toDo)
}

/** Another store counts instead. A request goes on if that one fails too. */
function insteadBy<Request>(other: SynchronousStore, report: (error: unknown) => void): WithoutStore<Request> {
  return (turn, answer) => {
    const failed = (error: unknown): Outcome => {
      // A wrong option is never a reason to allow requests.
      if (isRailError(error) && error.code !== 'RAIL_STORE_FAILED') throw error
      report(error)
      return NOT_COUNTED
    }
    return attempt(
      () => {
        const decision = other.take(turn.charges, turn.now, turn.record.chargedIn(other))
        if (!isPromise(decision)) return decision
        // A promise may never come, which is what this store is there to prevent.
        decision.then(undefined, () => {})
        const toDo = advice('Use localStore(), whose buckets are in this process.')
        throw railError('RAIL_BAD_OPTION', 'onStoreFailure: expected a synchronous store, got a promise', toDo)
      },
      (decision) => answer(turn, other, decision),
      failed,
    )
  }
}
