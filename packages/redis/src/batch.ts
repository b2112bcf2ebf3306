import { replyFailure } from './failure.js'

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

/** Items that are sent together. They are answered or fail once; a later reply is ignored. */
export class Batch {
  readonly #items: readonly Item[]
  #timer: ReturnType<typeof setTimeout> | undefined
  #turn: ReturnType<typeof setImmediate> | undefined
  #controller: AbortController | undefined
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

  /** Aborts when the batch fails: a client must not send it any more. Made where it is read. */
  get failed(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  /**
   * Begins the deadline of a batch that was just given to a client. Calls `late` when Redis has had so long, unless the batch
   * has ended before; and `done` when it ends.
   */
  start(deadlineMs: number, writesLater: boolean, late: Late, done: () => void): void {
    this.#done = done
    // Redis has nothing before the client's immediate, which is in front of this one.
    if (writesLater) this.#turn = setImmediate(() => this.#wait(deadlineMs, late, 0))
    else this.#wait(deadlineMs, late, 0)
  }

  #wait(ms: number, late: Late, busyMs: number): void {
    const from = performance.now()
    this.#timer = setTimeout(() => {
      const lateMs = performance.now() - from - ms
      // Redis may have stood still with this process, or need a second command.
      if (busyMs === 0 && lateMs > BUSY_FROM_MS) return this.#wait(Math.min(lateMs, ms), late, lateMs)
      // The reply may be there already. It is read before the next immediate.
      this.#turn = setImmediate(late, busyMs)
    }, ms)
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
        item.fail(replyFailure('Redis script: expected a result', failure))
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
    this.#controller?.abort()
    for (const item of this.#items) item.fail(error)
  }

  #end(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#turn)
    this.#done?.()
    this.#done = undefined
  }
}

/** @param busyMs How late the deadline's timer was, where it was set a second time. 0 otherwise. */
type Late = (busyMs: number) => void

/** The timer of a process with nothing else to do is less late. */
const BUSY_FROM_MS = 5

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
