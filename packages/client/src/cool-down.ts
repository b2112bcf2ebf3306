import { type BackoffOptions, backoff, waitBeyond } from './backoff.js'
import type { Hold } from './hold.js'

/** The time in which nothing is sent to a scope because the server refused: one for all its calls. */
export class CoolDown {
  readonly #backoff: BackoffOptions
  #toldUntil = Number.NEGATIVE_INFINITY
  #until = Number.NEGATIVE_INFINITY
  /** How many there were in a row. */
  #streak = 0

  constructor(backoff: BackoffOptions) {
    this.#backoff = backoff
  }

  /**
   * The server refused, and told to wait so long: 0 if it did not say. A refusal of a request that was in flight when
   * the cool-down began may prolong it by what it tells; what is added at random stays, else many refusals would draw the
   * largest of many numbers. Returns whether it begins with this refusal.
   */
  start(toldMs: number, now: number): boolean {
    const begins = now >= this.#until
    const beyond = begins ? this.#draw(toldMs) : this.#until - this.#toldUntil
    this.#toldUntil = Math.max(begins ? now : this.#toldUntil, now + toldMs)
    this.#until = this.#toldUntil + beyond
    return begins
  }

  /** When it ends, or has ended. */
  get until(): number {
    return this.#until
  }

  /** A request was served. */
  served(now: number): void {
    if (now >= this.#until) this.#streak = 0
  }

  #draw(toldMs: number): number {
    const attempt = this.#streak++
    return toldMs > 0 ? waitBeyond(toldMs, attempt, this.#backoff) : backoff(attempt, this.#backoff)
  }

  hold(now: number): Hold | undefined {
    if (now >= this.#until) return undefined
    return { until: this.#until, reason: 'cool-down', toldMs: Math.max(0, this.#toldUntil - now) }
  }
}
