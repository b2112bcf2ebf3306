import type { Call } from './call.js'
import type { Flight } from './known-limit.js'

/** A call that waits for its turn in a scope. */
export interface Waiting {
  /** Calls are served in this order. A retry keeps its place. */
  readonly place: number
  readonly call: Call
  readonly signal: AbortSignal | undefined
  /** The refusal after which it is sent again. */
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

  /** The number of calls before this one; -1 if it does not wait. */
  indexOf({ place }: Waiting): number {
    return this.#entries.findLastIndex((entry) => entry.place === place)
  }

  /** Adds a call. The promise is fulfilled when the call may be sent, and rejected when it is aborted or stopped. */
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

  /** Releases the first call. */
  release(flight: Flight): void {
    this.#entries.shift()?.go(flight)
  }

  /** Rejects one call. */
  stop(waiting: Waiting, error: unknown): void {
    const [entry] = this.#entries.splice(this.indexOf(waiting), 1)
    entry?.stop(error)
  }

  /** Rejects all calls. */
  stopAll(errorFor: (waiting: Waiting) => unknown): void {
    const stopped = this.#entries
    this.#entries = []
    for (const entry of stopped) entry.stop(errorFor(entry))
  }
}
