import type { Hold } from './hold.js'

/** As long as a server has answered nothing, twice as many requests are let to it after each of these, in milliseconds. */
const STEP_MS = 1_000

/** Up to so many at once, each answer lets one more go; beyond, each round of answers does. */
const FIRST_THRESHOLD = 8

/**
 * How many requests may be in flight to a server of which nothing is known, or which has just refused: one, whose answer
 * tells of its limits. From then on the limits decide. Where answers tell of none, more and more may go, and half as many
 * as before after a refusal, so that a server that tells nothing is not flooded with what it refuses.
 *
 * Source: slow start and congestion avoidance of TCP (RFC 5681 section 3.1).
 */
export class Ramp {
  #width: number
  #threshold = FIRST_THRESHOLD
  #hasRefused = false
  #movedAt = 0

  /** @param width How many may be in flight at first. */
  constructor(width: number) {
    this.#width = width
  }

  /** @param inFlight How many there are, this one not counted. */
  sent(inFlight: number, now: number): void {
    if (inFlight === 0) this.#movedAt = now
  }

  served(tellsLimits: boolean, now: number): void {
    this.#movedAt = now
    const isSteep = this.#width < this.#threshold
    if (tellsLimits && !(isSteep && this.#hasRefused)) this.#width = Number.POSITIVE_INFINITY
    else this.#width += isSteep ? 1 : 1 / this.#width
  }

  /** A cool-down has begun. @param inFlight How many there are. @param until When the cool-down ends. */
  refused(inFlight: number, until: number): void {
    this.#movedAt = until
    this.#threshold = Math.max(1, inFlight / 2)
    this.#width = 1
    this.#hasRefused = true
  }

  hold(inFlight: number, now: number): Hold | undefined {
    const steps = Math.floor((now - this.#movedAt) / STEP_MS)
    if (inFlight < Math.floor(this.#width) * 2 ** steps) return undefined
    return { until: this.#movedAt + (steps + 1) * STEP_MS, reason: 'answer', toldMs: 0 }
  }
}
