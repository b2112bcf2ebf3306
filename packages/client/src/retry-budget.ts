/**
 * Keeps retries to a part of all requests, so that clients do not multiply the load on a server that is failing: each
 * request earns a part of a retry, and a reserve lets a client that makes few requests retry at all.
 *
 * Source: the retry budgets of Finagle, and gRPC's retry throttling (proposal A6).
 */
export class RetryBudget {
  readonly #part: number
  readonly #most: number
  #retries: number

  /** @param part Retries that one request earns. @param reserve How many can be saved up, and are there at first. */
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
