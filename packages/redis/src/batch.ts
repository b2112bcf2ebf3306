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

  /** What the script is given: the names of all items' keys, and the time with all items' arguments behind it. */
  input(time: string): { readonly keys: readonly string[]; readonly args: readonly string[] } {
    const keys: string[] = []
    const args = [time]
    for (const item of this.#items) {
      for (const key of item.keys) keys.push(key)
      for (const arg of item.args) args.push(arg)
    }
    return { keys, args }
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

  /** Hands out the script's answer: each item its own. What is no such answer fails them. */
  answer(replies: unknown): void {
    this.#end()
    const numbers = Array.isArray(replies) ? replies.map(wholeOf) : []
    let next = 0
    for (const item of this.#items) {
      const failure = textOf(replies, next)
      if (failure !== undefined) {
        item.fail(storeFailure(`Redis could not do it: ${failure}.`))
        next++
        continue
      }
      try {
        next += item.answer(numbers, next)
      } catch (error) {
        item.fail(error)
        // Where one answer is not understood, nobody knows where the next one begins.
        next = numbers.length
      }
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

/** A whole number from 0, as any client may hand it over; NaN if it is none. */
function wholeOf(value: unknown): number {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : Number.NaN
  return value !== null && /^\d+$/.test(String(value)) ? Number(value) : Number.NaN
}

/** What the script says was wrong with an item. */
function textOf(replies: unknown, place: number): string | undefined {
  const reply: unknown = Array.isArray(replies) ? replies[place] : undefined
  const text = typeof reply === 'string' || reply instanceof Uint8Array ? String(reply) : ''
  return text.startsWith('!') ? text.slice(1) : undefined
}
