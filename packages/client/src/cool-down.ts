import { type BackoffOptions, backoff, waitBeyond } from './backoff.js'
import type { Hold } from './hold.js'

/** The time after a refusal in which nothing is sent to a scope. All calls of the scope share it. */
export class CoolDown {
  readonly #backoff: BackoffOptions
  #requiredUntil = Number.NEGATIVE_INFINITY
  #until = Number.NEGATIVE_INFINITY
  /** The number of cool-downs in a row. */
  #streak = 0

  constructor(backoff: BackoffOptions) {
    this.#backoff = backoff
  }

  /**
   * The server refused. The refusal of a request that was in flight when the cool-down began may prolong it. The random part
   * stays the same: otherwise many refusals would draw the largest of many numbers.
   *
   * @param requiredMs The wait that the server sent; 0: none.
   * @returns whether the cool-down begins with this refusal.
   */
  start(requiredMs: number, now: number): boolean {
    const begins = now >= this.#until
    const beyond = begins ? this.#draw(requiredMs) : this.#until - this.#requiredUntil
    this.#requiredUntil = Math.max(begins ? now : this.#requiredUntil, now + requiredMs)
    this.#until = this.#requiredUntil + beyond
    return begins
  }

  /** The time when it ends, or has ended. */
  get until(): number {
    return this.#until
  }

  /** A request was allowed. */
  served(now: number): void {
    if (now >= this.#until) this.#streak = 0
  }

  #draw(requiredMs: number): number {
    const attempt = this.#streak++
    return requiredMs > 0 ? waitBeyond(requiredMs, attempt, this.#backoff) : backoff(attempt, this.#backoff)
  }

  hold(now: number): Hold | undefined {
    if (now >= this.#until) return undefined
    return { until: this.#until, reason: 'cool-down', requiredMs: Math.max(0, this.#requiredUntil - now) }
  }
}
