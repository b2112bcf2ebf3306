/**
 * Limits retries to a part of all requests, so that clients do not multiply the load on a failing server. Each request earns a
 * part of a retry, and a reserve allows retries to clients with few requests.
 *
 * Source: the retry budgets of Finagle, and gRPC's retry throttling (proposal A6).
 */
export class RetryBudget {
  readonly #part: number
  readonly #most: number
  #retries: number

  /** @param part The retries that one request earns. @param reserve The most saved retries, which are there at first. */
  constructor(part: number, reserve: number) {
    this.#part = part
    this.#most = reserve
    this.#retries = reserve
  }

  earn(): void {
    this.#retries = Math.min(this.#most, this.#retries + this.#part)
  }

  /** Takes one retry, if there is one. */
  spend(): boolean {
    if (this.#retries < 1) return false
    this.#retries--
    return true
  }
}
