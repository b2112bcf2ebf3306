import type { Clock, Decision } from '@rail/core'
import { LARGEST_REPORT, type SyncReport, type SyncUsage } from '../protocol/messages.js'

/** A report without its number, which it gets when it is first sent. */
type Unsent = Omit<SyncReport, 'seq'>

/**
 * Counts decisions, and makes reports of them. A report stays unchanged until it is acknowledged, so that the receiver can
 * distinguish one that comes twice from two reports; later decisions go into the next. Memory is bounded: requests that do
 * not fit are counted as dropped.
 */
export class UsageReports {
  readonly #clock: Clock
  readonly #mostCustomers: number
  #counts = new Map<string, Counts>()
  /** The characters of their keys. */
  #countedCharacters = 0
  #unknown = new Set<string>()
  #unknownCharacters = 0
  #dropped = 0
  #since: number | undefined
  #waiting: Unsent[] = []
  #seq = 1

  /**
   * @param clock Monotonic milliseconds.
   * @param mostCustomers The most customers counted between two reports; their keys have at most 64 times as many characters.
   */
  constructor(clock: Clock, mostCustomers: number) {
    this.#clock = clock
    this.#mostCustomers = mostCustomers
  }

  /** The number of customers that are counted and not yet acknowledged. */
  get size(): number {
    return this.#waiting.reduce((sum, { usage }) => sum + usage.length, this.#counts.size)
  }

  /** Counts a decision. `earlier` is the decision that it replaces, of the same request. */
  count(decision: Decision, earlier: Decision | undefined): void {
    const key = decision.limits[0]?.key
    if (key === undefined) return
    this.#since ??= this.#clock()
    const counts = this.#countsOf(key)
    if (counts === undefined) {
      if (earlier === undefined) this.#dropped += 1
      return
    }
    if (earlier === undefined) counts.addRequest(Math.floor(this.#clock() / 1_000))
    else counts.add(earlier, -1)
    counts.add(decision, 1)
  }

  /** Adds a customer who is not in the document. */
  addUnknown(customer: string): void {
    const characters = this.#unknownCharacters + customer.length
    if (this.#unknown.size >= LARGEST_REPORT || characters > LARGEST_REPORT * KEY_LENGTH || this.#unknown.has(customer))
      return
    this.#unknown.add(copyOf(customer))
    this.#unknownCharacters = characters
  }

  /** The report to send now; `undefined`: nothing to report. The same one until it is acknowledged or refused. */
  next(): SyncReport | undefined {
    if (this.#waiting.length === 0) this.#waiting = this.#makeReports()
    const [first] = this.#waiting
    return first === undefined ? undefined : { seq: this.#seq, ...first }
  }

  /** The receiver has counted the reports up to this number. True if one of them was waiting, and another waits now. */
  acknowledge(seq: number): boolean {
    if (this.#waiting.length === 0 || seq < this.#seq) return false
    this.#waiting.shift()
    this.#seq += 1
    return this.#waiting.length > 0
  }

  /** The report was refused for its content or size: it is halved, or dropped if it has one customer. */
  refuse(): void {
    const [first, ...rest] = this.#waiting
    if (first === undefined) return
    if (first.usage.length + first.unknown.length > 1) {
      this.#waiting = [...halves(first), ...rest]
      return
    }
    this.#waiting = rest
    this.#dropped += first.dropped + first.usage.reduce((sum, [, allowed, refused]) => sum + allowed + refused, 0)
  }

  #countsOf(key: string): Counts | undefined {
    const known = this.#counts.get(key)
    if (known !== undefined) return known
    const characters = this.#countedCharacters + key.length
    if (this.#counts.size >= this.#mostCustomers || characters > this.#mostCustomers * KEY_LENGTH) return undefined
    const counts = new Counts()
    this.#counts.set(copyOf(key), counts)
    this.#countedCharacters = characters
    return counts
  }

  #makeReports(): Unsent[] {
    const now = this.#clock()
    const lengthMs = Math.max(0, Math.round(now - (this.#since ?? now)))
    const usage = [...this.#counts].flatMap(([key, counts]) => counts.reportAs(key))
    const [unknown, dropped] = [[...this.#unknown], this.#dropped]
    this.#counts = new Map([...this.#counts].filter(([, counts]) => !counts.isEmpty))
    this.#countedCharacters = [...this.#counts.keys()].reduce((sum, key) => sum + key.length, 0)
    this.#unknown = new Set()
    this.#unknownCharacters = 0
    this.#dropped = 0
    this.#since = undefined
    if (usage.length === 0 && unknown.length === 0 && dropped === 0) return []
    const reports: Unsent[] = [{ lengthMs, usage: usage.slice(0, LARGEST_REPORT), unknown, dropped }]
    for (let at = LARGEST_REPORT; at < usage.length; at += LARGEST_REPORT) {
      reports.push({ lengthMs, usage: usage.slice(at, at + LARGEST_REPORT), unknown: [], dropped: 0 })
    }
    return reports
  }
}

/** The average length of a customer's key that there is memory for, in characters. */
const KEY_LENGTH = 64

/** A copy of a string: a slice would keep the whole header that it is part of in memory. */
function copyOf(key: string): string {
  return Buffer.from(key, 'utf16le').toString('utf16le')
}

/** The counts of one customer. */
class Counts {
  #allowed = 0
  #refused = 0
  #peak = 0
  #second = Number.NaN
  #inSecond = 0
  readonly #refusedBy = new Map<string, number>()

  addRequest(second: number): void {
    this.#inSecond = second === this.#second ? this.#inSecond + 1 : 1
    this.#second = second
    this.#peak = Math.max(this.#peak, this.#inSecond)
  }

  add(decision: Decision, sign: 1 | -1): void {
    if (decision.allowed) this.#allowed += sign
    else this.#refused += sign
    for (const name of decision.refusedBy) this.#refusedBy.set(name, (this.#refusedBy.get(name) ?? 0) + sign)
  }

  get isEmpty(): boolean {
    return this.#allowed === 0 && this.#refused === 0
  }

  /**
   * The counts to report now; these are taken off. If a request was reported as allowed, and a costlier route refused it
   * later, a count is negative: it stays until later requests make it positive.
   */
  reportAs(key: string): SyncUsage[] {
    const allowed = Math.max(0, this.#allowed)
    const refused = Math.max(0, this.#refused)
    const refusedBy = [...this.#refusedBy].filter(([, count]) => count > 0)
    this.#allowed -= allowed
    this.#refused -= refused
    for (const [name, count] of refusedBy) this.#refusedBy.set(name, (this.#refusedBy.get(name) ?? 0) - count)
    const peak = this.#peak
    this.#peak = 0
    return allowed + refused > 0 ? [[key, allowed, refused, peak, refusedBy]] : []
  }
}

function halves({ lengthMs, usage, unknown, dropped }: Unsent): [Unsent, Unsent] {
  const [ofUsage, ofUnknown] = [Math.ceil(usage.length / 2), Math.floor(unknown.length / 2)]
  return [
    { lengthMs, usage: usage.slice(0, ofUsage), unknown: unknown.slice(0, ofUnknown), dropped },
    { lengthMs, usage: usage.slice(ofUsage), unknown: unknown.slice(ofUnknown), dropped: 0 },
  ]
}
