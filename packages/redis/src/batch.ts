import { RailError } from '@rail/core'

/** One operation of the script, and who waits for it. */
export interface Item {
  /** What decides on which server its keys are. */
  readonly tag: string
  readonly keys: readonly string[]
  readonly args: readonly string[]
  /** Takes the numbers of its answer, from `first` on, and says how many these are. */
  answer(numbers: readonly number[], first: number): number
  fail(error: unknown): void
}

/** A failure of the store, as a limiter knows it. */
export function storeFailure(what: string, cause?: unknown): RailError {
  return new RailError('RAIL_STORE_FAILED', what, cause === undefined ? undefined : { cause })
}

/** Items that travel together: they are answered, or failed, once. What comes later is let go. */
export class Batch {
  readonly #items: readonly Item[]
  #timer: ReturnType<typeof setTimeout> | undefined
  #grace: ReturnType<typeof setImmediate> | undefined
  #done: (() => void) | undefined

  constructor(items: readonly Item[]) {
    this.#items = items
  }

  keys(): string[] {
    return this.#items.flatMap((item) => item.keys)
  }

  args(): string[] {
    return this.#items.flatMap((item) => item.args)
  }

  /** Calls `late` unless the batch is answered or failed by then. `done` is called when it is. */
  start(deadlineMs: number, late: () => void, done: () => void): void {
    this.#done = done
    this.#timer = setTimeout(() => {
      // After a pause of the whole process the answer may be there already: it is read before the next immediate.
      this.#grace = setImmediate(late)
    }, deadlineMs)
    this.#timer.unref()
  }

  /** Hands out the script's answer. Throws when it is none. */
  answer(replies: unknown): void {
    if (!Array.isArray(replies)) throw storeFailure('Redis answered the script with something else than a list.')
    const numbers = replies.map(Number)
    this.#end()
    let next = 0
    for (const item of this.#items) {
      const failed = Number.isNaN(numbers[next])
      if (failed) item.fail(storeFailure(`Redis could not do it: ${String(replies[next]).replace(/^!/, '')}.`))
      next += failed ? 1 : item.answer(numbers, next)
    }
  }

  fail(error: unknown): void {
    this.#end()
    for (const item of this.#items) item.fail(error)
  }

  #end(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#grace)
    this.#done?.()
    this.#done = undefined
  }
}
