import { attempt, type MaybePromise } from '../base/maybe-promise.js'
import { elapsedMs } from '../bucket/bucket.js'
import type { Decision } from '../bucket/decision.js'
import { settled } from '../bucket/settled.js'
import type { Store } from '../bucket/store.js'
import { type Field, replacing } from '../headers/field.js'
import { type Charge, checkCost } from '../limit/charge.js'
import type { RouteOptions } from './options.js'
import { NOT_COUNTED, type Outcome } from './outcome.js'

/** A request on its way through a limiter. */
export interface Turn<Request> {
  readonly request: Request
  readonly route: RouteOptions<Request>
  readonly record: RequestRecord
  readonly charges: readonly Charge[]
  /** The reading of the limiter's clock. */
  readonly now: number
}

/** What one limiter remembers of one request. */
export class RequestRecord {
  /** The outcome of the latest call, which the next one waits for. */
  pending: MaybePromise<Outcome> = NOT_COUNTED
  outcome: Outcome = NOT_COUNTED
  /** How many times it got its outcome again. */
  repeats = 0
  /** The latest outcome with a decision, whose headers the next one's replace. */
  counted: Outcome & { headers: readonly Field[] } = NOT_COUNTED
  /** What has been taken for the request. */
  charges: readonly Charge[] = NO_CHARGES
  #store: Store | undefined
  #at = 0
  #routes: readonly unknown[] = NO_ROUTES
  #settled = false

  /** Whether the latest outcome answers another call on this route: it was decided there, or refused anywhere. */
  answers(route: unknown): boolean {
    return this.outcome.refusal !== undefined || this.#routes.includes(route)
  }

  /** Keeps the latest outcome, once it is there. */
  keep(outcome: MaybePromise<Outcome>): MaybePromise<Outcome> {
    if ('then' in outcome) return outcome.then((found) => this.keep(found))
    this.outcome = outcome
    if (outcome.decision !== undefined) this.counted = outcome
    return outcome
  }

  /** Remembers what was taken (nothing by a refusal), from which store, on which route, and when. */
  remember(charges: readonly Charge[], store: Store, { route, now }: Pick<Turn<never>, 'route' | 'now'>): void {
    this.charges = charges
    this.#store = store
    this.#at = now
    this.decided(route)
  }

  /** Remembers that a route has its answer, even though nothing was taken: its store failed, and is not called again. */
  decided(route: unknown): void {
    // A request is seldom counted twice, and an array of one is cheaper than one that grows.
    this.#routes = this.#routes === NO_ROUTES ? [route] : [...this.#routes, route]
  }

  /** What was taken for the request in this store: another store has taken nothing yet. */
  chargedIn(store: Store): readonly Charge[] | undefined {
    return this.#store === store && this.charges.length > 0 ? this.charges : undefined
  }

  /**
   * Settles once, what has been taken, and replaces the headers.
   *
   * @throws RailError `RAIL_BAD_COST`
   */
  settle(
    actualCost: number,
    readNow: () => number,
    fieldsFor: (decision: Decision, now: number) => readonly Field[],
  ): MaybePromise<void> {
    if (this.#settled || this.charges.length === 0) return
    checkCost(actualCost, 'settle()')
    this.#settled = true
    // A route that charges the request later gives back what was taken by then.
    const before = this.charges
    const after = before.map((charge) => ({ ...charge, cost: actualCost }))
    this.charges = after
    return attempt(
      () => {
        const now = readNow()
        const settling = this.#store?.settle(before, actualCost, now)
        const { decision, headers } = this.counted
        if (decision !== undefined) {
          const later = settled(decision, before, after, elapsedMs(this.#at, now))
          this.counted.headers = replacing(headers, fieldsFor(later, now))
        }
        return settling
      },
      () => {},
      (error) => {
        // Nobody knows which of the two was taken: more than the smaller one must not be given back.
        const least = before.map((charge) => ({ ...charge, cost: Math.min(charge.cost, actualCost) }))
        if (this.charges === after) this.charges = least
        throw error
      },
    )
  }
}

const NO_CHARGES: readonly Charge[] = []
const NO_ROUTES: readonly unknown[] = []
