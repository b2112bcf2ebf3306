import { RailError } from '@rail/core'
import { shown } from '@rail/core/store'

/** Counts the values that Rail did not write, and reports them once a minute. */
export class ForeignValues {
  readonly #report: (error: unknown) => void
  #unreported = 0
  #reportedAt = Number.NEGATIVE_INFINITY

  constructor(report: (error: unknown) => void) {
    this.#report = report
  }

  /** @param names The keys of an operation: one of them has such a value. */
  add(names: readonly string[], nowMs: number): void {
    const count = ++this.#unreported
    if (nowMs - this.#reportedAt < REPORT_EVERY_MS) return
    this.#unreported = 0
    this.#reportedAt = nowMs
    const times = count === 1 ? '' : ` (${count} times since the last report)`
    const message =
      `Redis key ${shortOf(names)}: expected a value that Rail wrote, got another${times}. ` +
      'It counted as full buckets. Give each program that uses this Redis a prefix of its own.'
    this.#report(new RailError('RAIL_FOREIGN_VALUE', message, { count }))
  }
}

/** Names of keys, shortened: a key may be anything that a client sends, and as long as it likes. */
function shortOf(names: readonly string[]): string {
  const some = names.slice(0, MOST_NAMES).map(shown)
  return [...some, ...(names.length > MOST_NAMES ? [`${names.length - MOST_NAMES} others`] : [])].join(' or ')
}

const MOST_NAMES = 3
const REPORT_EVERY_MS = 60_000
