/**
 * A circuit breaker: after some failures in a row nothing is asked for a while, then one probe, which decides. It has no
 * timer: time is an argument.
 */
export class Breaker {
  readonly #failuresToOpen: number
  readonly #probeEveryMs: number
  #failures = 0
  #probedAt = 0

  /** @param probeEveryMs While open, one ask in this time is let through. */
  constructor(failuresToOpen: number, probeEveryMs: number) {
    this.#failuresToOpen = failuresToOpen
    this.#probeEveryMs = probeEveryMs
  }

  /** Whether an ask may go now. While open, true once for each probe. */
  allows(nowMs: number): boolean {
    if (this.#failures < this.#failuresToOpen) return true
    if (nowMs - this.#probedAt < this.#probeEveryMs) return false
    this.#probedAt = nowMs
    return true
  }

  succeeded(): void {
    this.#failures = 0
  }

  failed(nowMs: number): void {
    this.#failures++
    this.#probedAt = nowMs
  }
}
