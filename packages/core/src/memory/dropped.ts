import { advice } from '../base/advice.js'
import { RailError } from '../base/errors.js'

/** Counts the keys that a full store drops although they owe tokens, and reports them once a minute. */
export class Dropped {
  /** All of them. */
  total = 0
  readonly #report: (error: unknown) => void
  #unreported = 0
  #oldestMs = 0
  /** When the first of those that are not reported was dropped. */
  #since = 0
  #reportedAt = Number.NEGATIVE_INFINITY

  constructor(report: (error: unknown) => void) {
    this.#report = report
  }

  /** @param unusedMs How long ago the key was used. */
  add(unusedMs: number, now: number): void {
    this.total++
    if (++this.#unreported === 1) this.#since = now
    this.#oldestMs = Math.max(this.#oldestMs, unusedMs)
  }

  /** Called for each new key: reports what is due, also where nothing is dropped any more. */
  reportIfDue(now: number): void {
    if (this.#unreported === 0) return
    const waitMs = this.#unreported < FIRST_MOST ? FIRST_AFTER_MS : 0
    const dueAt = Math.max(this.#since + waitMs, this.#reportedAt + REPORT_EVERY_MS)
    // A step back of the clock must not silence it.
    if (now < dueAt && now >= this.#since) return
    const count = this.#unreported
    const keys = count === 1 ? 'a key that owes tokens was' : `${count} keys that owe tokens were`
    const fact = `MemoryStore: full; ${keys} dropped, unused for at most ${Math.round(this.#oldestMs / 1_000)} s.`
    const toDo = advice('Set maxKeys to the number of customers in your longest window.')
    this.#unreported = this.#oldestMs = 0
    this.#reportedAt = now
    this.#report(new RailError('RAIL_STORE_FULL', toDo === undefined ? fact : `${fact} ${toDo}`, { count }))
  }
}

/** At once, the first report would say that one key was dropped, of however many: it waits for as long, or for as many. */
const FIRST_AFTER_MS = 1_000
const FIRST_MOST = 100
const REPORT_EVERY_MS = 60_000
