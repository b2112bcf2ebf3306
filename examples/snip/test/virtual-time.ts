import { setImmediate } from 'node:timers/promises'
import type { Timer } from '@rail/client'

/** Time that stands still while anything is under way, and then jumps to the next timer: an hour takes a moment. */
export class VirtualTime {
  now = 0
  readonly #timers = new Map<number, () => void>()
  readonly #at = new Map<number, number>()
  #next = 0
  #busy = 0

  readonly clock = (): number => this.now
  readonly timer: Timer = (run, ms) => {
    const id = this.#next++
    this.#timers.set(id, run)
    this.#at.set(id, this.now + ms)
    return () => this.#remove(id)
  }

  /** Something that takes no time. */
  async atOnce<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#busy++
    try {
      return await work()
    } finally {
      this.#busy--
    }
  }

  /** Lets time pass until a promise is settled. */
  async until<Result>(promise: Promise<Result>): Promise<Result> {
    let settled = false
    const end = (): void => {
      settled = true
    }
    promise.then(end, end)
    while (!settled) {
      // Twice: what was answered in the first turn goes on in the second.
      await setImmediate()
      await setImmediate()
      if (this.#busy === 0 && !settled) this.#jump()
    }
    return promise
  }

  #jump(): void {
    const [id, at] = [...this.#at].reduce((first, other) => (other[1] < first[1] ? other : first))
    this.now = Math.max(this.now, at)
    const run = this.#timers.get(id)
    this.#remove(id)
    run?.()
  }

  #remove(id: number): void {
    this.#timers.delete(id)
    this.#at.delete(id)
  }
}
