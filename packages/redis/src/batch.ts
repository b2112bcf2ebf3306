import { RailError } from '@rail/core'

/** One operation of the script, and the callbacks of its caller. */
export interface Item {
  /** The part of its keys' names that decides on which server they are. */
  readonly tag: string
  readonly keys: readonly string[]
  readonly args: readonly string[]
  /** Reads its reply from the numbers, from `first` on. Returns how many numbers the reply has. */
  answer(numbers: readonly number[], first: number): number
  fail(error: unknown): void
}

/** The error of a take that failed. */
export function storeFailure(message: string, cause?: unknown): RailError {
  return new RailError('RAIL_STORE_FAILED', message, cause === undefined ? undefined : { cause })
}

/** Items that are sent together. They are answered or fail once; a later reply is ignored. */
export class Batch {
  readonly #items: readonly Item[]
  #timer: ReturnType<typeof setTimeout> | undefined
  #grace: ReturnType<typeof setImmediate> | undefined
  #done: (() => void) | undefined

  constructor(items: readonly Item[]) {
    this.#items = items
  }

  /** The script's input: the names of all items' keys; the time, and the arguments of all items. */
  input(time: string): { readonly keys: readonly string[]; readonly args: readonly string[] } {
    const keys: string[] = []
    const args = [time]
    for (const item of this.#items) {
      for (const key of item.keys) keys.push(key)
      for (const arg of item.args) args.push(arg)
    }
    return { keys, args }
  }

  /** Calls `late` after `deadlineMs` unless the batch has ended before, and `done` when it ends. */
  start(deadlineMs: number, late: () => void, done: () => void): void {
    this.#done = done
    this.#timer = setTimeout(() => {
      // After a pause of the whole process the reply may be there already. It is read before the next immediate.
      this.#grace = setImmediate(late)
    }, deadlineMs)
    this.#timer.unref()
  }

  /** Gives each item its part of the script's reply. Anything else than such a reply fails the items. */
  answer(replies: unknown): void {
    this.#end()
    const numbers = Array.isArray(replies) ? replies.map(wholeOf) : []
    let next = 0
    for (const item of this.#items) {
      const failure = failureIn(replies, next)
      if (failure !== undefined) {
        item.fail(storeFailure(`Redis script: expected a result, got an error: ${failure}.`))
        next++
        continue
      }
      try {
        next += item.answer(numbers, next)
      } catch (error) {
        item.fail(error)
        // Where one reply is not understood, nobody knows where the next one begins.
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

/** A whole number from 0, in any form that a client may return. NaN for anything else. */
function wholeOf(value: unknown): number {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : Number.NaN
  return value !== null && /^\d+$/.test(String(value)) ? Number(value) : Number.NaN
}

/** The script's error for an item. */
function failureIn(replies: unknown, place: number): string | undefined {
  const reply: unknown = Array.isArray(replies) ? replies[place] : undefined
  const text = typeof reply === 'string' || reply instanceof Uint8Array ? String(reply) : ''
  return text.startsWith('!') ? text.slice(1) : undefined
}
