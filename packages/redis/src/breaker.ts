/**
 * A circuit breaker. After some failures in a row it allows nothing for a while, and then one probe, which decides. It has
 * no timer: time is an argument.
 */
export class Breaker {
  readonly #failuresToOpen: number
  readonly #probeEveryMs: number
  #failures = 0
  #failedAt = 0
  #probing = false
  #reason = ''

  /** @param probeEveryMs While the breaker is open, one probe is allowed this long after a failure. */
  constructor(failuresToOpen: number, probeEveryMs: number) {
    this.#failuresToOpen = failuresToOpen
    this.#probeEveryMs = probeEveryMs
  }

  /** Whether a batch may be sent now. While the breaker is open: true for one probe, until that has succeeded or failed. */
  allows(nowMs: number): boolean {
    if (this.#failures < this.#failuresToOpen) return true
    if (this.#probing || nowMs - this.#failedAt < this.#probeEveryMs) return false
    this.#probing = true
    return true
  }

  /** What went wrong last. */
  get reason(): string {
    return this.#reason
  }

  succeeded(): void {
    this.#failures = 0
    this.#probing = false
  }

  /** What was sent has failed, but nobody knows whether by the server's fault. */
  unclear(): void {
    this.#probing = false
  }

  /** @param reason What went wrong. The failures of what is not sent meanwhile have it. */
  failed(nowMs: number, reason: string): void {
    this.#failures++
    this.#reason = reason
    this.#failedAt = nowMs
    this.#probing = false
  }
}
