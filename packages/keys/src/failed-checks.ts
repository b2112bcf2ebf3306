import { type Charge, type Decision, type Limit, MemoryStore } from '@rail/core'

/**
 * The failed checks of each address. A check takes a token before its result is known, so no address ever owes more than its
 * limits hold.
 */
export class FailedChecks {
  // In this process's memory on purpose: checking a key must not depend on another server.
  readonly #store = new MemoryStore()
  readonly #limits: readonly Limit[]
  readonly #now: () => number

  constructor(limits: readonly Limit[], now: () => number) {
    this.#limits = limits
    this.#now = now
  }

  /** Takes a token. Returns the decision if there was none. @param from `null`: failed checks are not counted. */
  take(from: string | null): Decision | undefined {
    if (from === null) return undefined
    const decision = this.#store.take(this.#chargesOf(from), this.#now())
    return decision.allowed ? undefined : decision
  }

  giveBack(from: string): void {
    this.#store.settle(this.#chargesOf(from), 0, this.#now())
  }

  hasTokens(from: string): boolean {
    return this.#store.peek(this.#chargesOf(from), this.#now()).allowed
  }

  #chargesOf(from: string): readonly Charge[] {
    return [{ key: from, limits: this.#limits, cost: 1 }]
  }
}
