import type { Timer } from '../../src/index.js'

interface Due {
  readonly at: number
  readonly run: () => void
}

/** Time that moves only when everything waits for it: from one due moment to the next, as fast as the machine can. */
export class World {
  now: number
  readonly #dues: Due[] = []
  #busy = 0

  constructor(now = 0) {
    this.now = now
  }

  /** For the option `clock`. */
  readonly clock = (): number => this.now

  /** For the option `timer`. Refuses what `setTimeout` would not keep. */
  readonly timer: Timer = (run, ms) => {
    if (!(ms >= 0 && ms <= 2 ** 31 - 1)) throw new Error(`no timer can wait ${ms} ms`)
    const due = { at: this.now + ms, run }
    // Of equal times, the first request comes first.
    this.#dues.splice(this.#dues.findLastIndex(({ at }) => at <= due.at) + 1, 0, due)
    return () => {
      const index = this.#dues.indexOf(due)
      if (index !== -1) this.#dues.splice(index, 1)
    }
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.timer(resolve, ms))
  }

  /** Time stands still while something real is done, such as a request over a socket. */
  async really<T>(work: () => Promise<T>): Promise<T> {
    this.#busy++
    try {
      return await work()
    } finally {
      this.#busy--
    }
  }

  /** Lets time pass until a promise is settled. @throws when nothing is left that could settle it: it hangs */
  async until<T>(promise: Promise<T>): Promise<T> {
    let settled = false
    const settle = (): void => {
      settled = true
    }
    promise.then(settle, settle)
    for (;;) {
      do await new Promise(setImmediate)
      while (this.#busy > 0 && !settled)
      if (settled) return promise
      const due = this.#dues.shift()
      if (due === undefined) throw new Error('nothing will ever settle this: it hangs')
      this.now = due.at
      due.run()
    }
  }
}

/** A generator of numbers from 0 up to 1 that a seed determines (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
