import { advice } from '../base/advice.js'
import { RailError } from '../base/errors.js'

const REPORT_EVERY_MS = 60_000

/** Counts the keys that a full store drops although they owe tokens, and reports them once a minute. */
export class Dropped {
  /** All of them. */
  total = 0
  readonly #report: (error: unknown) => void
  #unreported = 0
  #oldestMs = 0
  #reportedAt = Number.NEGATIVE_INFINITY

  constructor(report: (error: unknown) => void) {
    this.#report = report
  }

  /** @param unusedMs How long ago the key was used. */
  add(unusedMs: number, now: number): void {
    this.total++
    this.#unreported++
    this.#oldestMs = Math.max(this.#oldestMs, unusedMs)
    // A step back of the clock must not silence it.
    if (now - this.#reportedAt < REPORT_EVERY_MS && now >= this.#reportedAt) return
    const count = this.#unreported
    const keys = count === 1 ? 'a key that owes tokens was' : `${count} keys that owe tokens were`
    const fact = `MemoryStore: full; ${keys} dropped, unused for at most ${Math.round(this.#oldestMs / 1_000)} s.`
    const toDo = advice('Set maxKeys to the number of customers in your longest window.')
    this.#unreported = this.#oldestMs = 0
    this.#reportedAt = now
    this.#report(new RailError('RAIL_STORE_FULL', toDo === undefined ? fact : `${fact} ${toDo}`, { count }))
  }
}
