import { attempt, chain, type MaybePromise } from '../base/maybe-promise.js'
import type { Decision } from '../bucket/decision.js'
import type { Store } from '../bucket/store.js'
import type { Charge } from '../limit/charge.js'
import type { RouteOptions } from './options.js'
import type { Turn } from './request-record.js'

/** What a look at the routes ahead needs of a limiter. */
export interface Ahead<Request> {
  /** The routes, in their order. */
  routes(turn: Turn<Request>): readonly RouteOptions<Request>[]
  /** The charges of a request on a route, with what it was charged before. */
  chargesFor(request: Request, route: RouteOptions<Request>, before: readonly Charge[]): MaybePromise<readonly Charge[]>
  /** Called when the store has failed. */
  failed(error: unknown, now: number): void
}

/**
 * The decision to announce to a refused request: that with the longest wait, of its own and those that the routes ahead
 * would make. Nothing is taken. A route whose cost or limits cannot be found yet is left out.
 */
export function longestWait<Request>(
  turn: Turn<Request>,
  from: Store,
  decision: Decision,
  { routes, chargesFor, failed }: Ahead<Request>,
): MaybePromise<Decision> {
  const { request, now } = turn
  let { charges } = turn
  let longest = decision
  const keep = (later: Decision): void => {
    // Of equal waits the later one, which is of all limits that the request meets.
    if (later.retryAfterMs >= longest.retryAfterMs) longest = later
  }
  const peek = (route: RouteOptions<Request>): MaybePromise<void> =>
    chain(chargesFor(request, route, charges), (found) => {
      charges = found
      return attempt(
        () => from.peek(found, now),
        keep,
        (error) => failed(error, now),
      )
    })
  const peekAll = (): MaybePromise<void> =>
    routes(turn).reduce<MaybePromise<void>>(
      (done, route) => chain(done, () => attempt(() => peek(route), ignore, ignore)),
      undefined,
    )
  const found = (): Decision => longest
  return attempt(peekAll, found, found)
}

function ignore(): void {}
