import { readClock } from '../base/clock.js'
import type { MaybePromise } from '../base/maybe-promise.js'
import { attempt } from '../base/maybe-promise.js'
import type { Store } from '../bucket/store.js'
import { type Charge, checkCost } from '../limit/charge.js'
import { type Outcome, UNCOUNTED } from './outcome.js'

const NOWHERE: readonly unknown[] = Object.freeze([])

/** What one limiter knows of one request. */
export class Count {
  /** The outcome of the latest ask, which the next one waits for. */
  pending: MaybePromise<Outcome> = UNCOUNTED
  outcome: Outcome = UNCOUNTED
  /** The latest outcome with a decision, whose fields the next one's stand in place of. */
  counted: Outcome = UNCOUNTED
  /** What has been taken for the request, and from which store. */
  charges: readonly Charge[] = []
  #store: Store | undefined
  #routes: readonly unknown[] = NOWHERE
  #settled = false

  /** Whether the latest outcome answers a further ask on this route: it was decided there, or refused anywhere. */
  answers(route: unknown): boolean {
    return this.outcome.refusal !== undefined || this.#routes.includes(route)
  }

  /** Remembers the latest outcome. */
  keep(outcome: Outcome): Outcome {
    this.outcome = outcome
    if (outcome.decision !== undefined) this.counted = outcome
    return outcome
  }

  /** Remembers what was taken, nothing by a refusal, and on which route. */
  took(charges: readonly Charge[], store: Store, route: unknown): void {
    this.charges = charges
    this.#store = store
    this.decided(route)
  }

  /** Remembers that a route has its answer, though nothing was taken: its store has failed, and is not asked once more. */
  decided(route: unknown): void {
    // A request is seldom asked about twice, and an array of one is cheaper than one that grows.
    this.#routes = this.#routes === NOWHERE ? [route] : [...this.#routes, route]
  }

  /** What a store has taken for the request. */
  takenFrom(store: Store): readonly Charge[] | undefined {
    return this.#store === store && this.charges.length > 0 ? this.charges : undefined
  }

  /** Settles once, what has been taken. @throws RailError `RAIL_BAD_COST` */
  settle(actualCost: number, clock: () => number): MaybePromise<void> {
    if (this.#settled || this.charges.length === 0) return
    checkCost(actualCost, 'What settle() is given')
    this.#settled = true
    // A route that asks later gives back what has been taken by then.
    const before = this.charges
    const settled = before.map((charge) => ({ ...charge, cost: actualCost }))
    this.charges = settled
    return attempt(
      () => this.#store?.settle(before, actualCost, readClock(clock)),
      () => {},
      (error) => {
        // Nobody knows which of the two was taken: more than that must not be given back.
        const least = before.map((charge) => ({ ...charge, cost: Math.min(charge.cost, actualCost) }))
        if (this.charges === settled) this.charges = least
        throw error
      },
    )
  }
}
