import type { Hold } from './hold.js'

/** While a server does not answer, the allowed number of requests doubles after each of these times, in milliseconds. */
const STEP_MS = 1_000

/** Up to this number, each answer allows one more request in flight; above it, each round of answers does. */
const FIRST_THRESHOLD = 8

/**
 * The number of requests that may be in flight to an unknown server, or to one that has just refused: one, whose answer
 * reports its limits. After that the limits decide. If answers contain no limits, the number grows, and falls to half after a
 * refusal, so that a server without such headers is not flooded with requests that it refuses.
 *
 * Source: slow start and congestion avoidance of TCP (RFC 5681 section 3.1).
 */
export class Ramp {
  #width: number
  #threshold = FIRST_THRESHOLD
  #hasRefused = false
  #movedAt = 0

  /** @param width The number of requests that may be in flight at first. */
  constructor(width: number) {
    this.#width = width
  }

  /** @param inFlight The number of requests in flight, without this one. */
  sent(inFlight: number, now: number): void {
    if (inFlight === 0) this.#movedAt = now
  }

  served(hasLimits: boolean, now: number): void {
    this.#movedAt = now
    const isSteep = this.#width < this.#threshold
    if (hasLimits && !(isSteep && this.#hasRefused)) this.#width = Number.POSITIVE_INFINITY
    else this.#width += isSteep ? 1 : 1 / this.#width
  }

  /** A cool-down has begun. @param inFlight The requests in flight. @param until The time when the cool-down ends. */
  refused(inFlight: number, until: number): void {
    this.#movedAt = until
    this.#threshold = Math.max(1, inFlight / 2)
    this.#width = 1
    this.#hasRefused = true
  }

  hold(inFlight: number, now: number): Hold | undefined {
    const steps = Math.floor((now - this.#movedAt) / STEP_MS)
    if (inFlight < Math.floor(this.#width) * 2 ** steps) return undefined
    return { until: this.#movedAt + (steps + 1) * STEP_MS, reason: 'answer', requiredMs: 0 }
  }
}
