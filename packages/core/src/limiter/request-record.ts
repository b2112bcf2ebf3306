import { attempt, type MaybePromise } from '../base/maybe-promise.js'
import { elapsedMs } from '../bucket/bucket.js'
import type { Decision } from '../bucket/decision.js'
import { settled } from '../bucket/settled.js'
import type { Store } from '../bucket/store.js'
import { type Field, replacing } from '../headers/field.js'
import { type Charge, checkCost } from '../limit/charge.js'
import type { RouteOptions } from './options.js'
import { NOT_COUNTED, type Outcome } from './outcome.js'
import type { RequestState, Sent } from './request-state.js'

/** A request on its way through a limiter. */
export class Turn<Request> {
  readonly request: Request
  readonly route: RouteOptions<Request>
  readonly record: RequestRecord
  charges: readonly Charge[] = NO_CHARGES
  /** The reading of the limiter's clock. */
  now = 0

  constructor(request: Request, route: RouteOptions<Request>, record: RequestRecord) {
    this.request = request
    this.route = route
    this.record = record
  }
}

/** A limiter, to the records of its requests. */
export interface RecordingLimiter {
  settle(record: RequestRecord, actualCost: number): void
}

/** What one limiter remembers of one request: one object for each request, which its response finds, too. */
export class RequestRecord implements Sent {
  readonly limiter: RecordingLimiter
  /** The records of the request's other limiters, by which its response finds them. */
  state: RequestState | undefined = undefined
  next: Sent | undefined = undefined
  /** Whether the response has the headers of the latest outcome. */
  isSent = false
  /** The outcome of the latest call, which the next one waits for. */
  pending: MaybePromise<Outcome> = NOT_COUNTED
  outcome: Outcome = NOT_COUNTED
  /** How many times it got its outcome again. */
  repeats = 0
  /** The latest outcome with a decision, whose headers the next one's replace. */
  counted: Outcome & { headers: readonly Field[] } = NOT_COUNTED
  /** What has been taken for the request. */
  charges: readonly Charge[] = NO_CHARGES
  #store: Store | undefined = undefined
  #at = 0
  /** The route that was decided first, and all of them once there are more. */
  #route: unknown = undefined
  #routes: unknown[] | undefined = undefined
  #settled = false

  constructor(limiter: RecordingLimiter) {
    this.limiter = limiter
  }

  get source(): object {
    return this.limiter
  }

  get headers(): readonly Field[] {
    return this.isSent ? this.outcome.headers : NO_FIELDS
  }

  /** Whether the latest outcome answers another call on this route: it was decided there, or refused anywhere. */
  answers(route: unknown): boolean {
    return this.outcome.refusal !== undefined || this.#route === route || this.#routes?.includes(route) === true
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
    if (this.#route === undefined) this.#route = route
    else this.#routes = [...(this.#routes ?? []), route]
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
const NO_FIELDS: readonly Field[] = []
