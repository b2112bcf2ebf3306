import type { Call } from './call.js'
import type { Flight } from './known-limit.js'

/** A call that waits for its turn in a scope. */
export interface Waiting {
  /** Calls are served in this order. A retry keeps its place. */
  readonly place: number
  readonly call: Call
  readonly signal: AbortSignal | undefined
  /** The refusal that it is tried again after. */
  readonly refusal: Response | undefined
}

interface Entry extends Waiting {
  readonly go: (flight: Flight) => void
  readonly stop: (error: unknown) => void
}

/** The calls that wait in one scope: first come, first served. */
export class Queue {
  #entries: Entry[] = []

  get length(): number {
    return this.#entries.length
  }

  /** How many are before this call; -1 when it does not wait. */
  indexOf({ place }: Waiting): number {
    return this.#entries.findLastIndex((entry) => entry.place === place)
  }

  /** Puts a call in its place; the promise is fulfilled when it may go, and rejected when it is aborted or stopped. */
  enter(waiting: Waiting, onAbort: () => void): Promise<Flight> {
    return new Promise((resolve, reject) => {
      const { signal } = waiting
      const abort = (): void => {
        this.#entries.splice(this.#entries.indexOf(entry), 1)
        reject(signal?.reason)
        onAbort()
      }
      const leaving =
        <T>(settle: (value: T) => void) =>
        (value: T): void => {
          signal?.removeEventListener('abort', abort)
          settle(value)
        }
      const entry: Entry = { ...waiting, go: leaving(resolve), stop: leaving(reject) }
      signal?.addEventListener('abort', abort, { once: true })
      const next = this.#entries.findLastIndex(({ place }) => place < waiting.place) + 1
      this.#entries.splice(next, 0, entry)
    })
  }

  /** Lets the first go. */
  release(flight: Flight): void {
    this.#entries.shift()?.go(flight)
  }

  /** Lets one of them not go. */
  stop(waiting: Waiting, error: unknown): void {
    const [entry] = this.#entries.splice(this.indexOf(waiting), 1)
    entry?.stop(error)
  }

  /** Lets none of them go. */
  stopAll(errorFor: (waiting: Waiting) => unknown): void {
    const stopped = this.#entries
    this.#entries = []
    for (const entry of stopped) entry.stop(errorFor(entry))
  }
}
