import { type Charge, type Decision, MemoryStore, type Store } from '@rail/core'

/** A store that answers in a later turn, as one over a network does. */
export class LaterStore implements Store {
  readonly #store = new MemoryStore()

  async take(charges: readonly Charge[], now: number, before?: readonly Charge[]): Promise<Decision> {
    await undefined
    return this.#store.take(charges, now, before)
  }

  async peek(charges: readonly Charge[], now: number, before?: readonly Charge[]): Promise<Decision> {
    await undefined
    return this.#store.peek(charges, now, before)
  }

  async settle(charges: readonly Charge[], actual: number, now: number): Promise<void> {
    await undefined
    this.#store.settle(charges, actual, now)
  }

  async reset(key: string, scope?: string): Promise<void> {
    this.#store.reset(key, scope)
  }
}
