import type { Clock, Decision } from '@rail/core'
import { LARGEST_REPORT, type SyncReport, type SyncUsage } from '../protocol/messages.js'

/** A report without its number: that is given when it is sent first. */
type Unsent = Omit<SyncReport, 'seq'>

/**
 * Counts decisions, and hands them out in reports. A report that has been handed out stays as it is until it is
 * acknowledged, so that one that comes twice can be told from two; what is counted meanwhile goes into the next. Memory is
 * bounded: what does not fit is counted as dropped.
 */
export class UsageReports {
  readonly #clock: Clock
  readonly #mostCustomers: number
  #counts = new Map<string, Counts>()
  /** How many characters the keys of these have. */
  #countedText = 0
  #unknown = new Set<string>()
  #unknownText = 0
  #dropped = 0
  #since: number | undefined
  #waiting: Unsent[] = []
  #seq = 1

  /**
   * @param clock Monotonic milliseconds.
   * @param mostCustomers How many customers are counted between two reports; their keys have 64 times as many characters at
   * most.
   */
  constructor(clock: Clock, mostCustomers: number) {
    this.#clock = clock
    this.#mostCustomers = mostCustomers
  }

  /** How many customers are counted and not yet acknowledged. */
  get size(): number {
    return this.#waiting.reduce((sum, { usage }) => sum + usage.length, this.#counts.size)
  }

  /** Counts a decision. `earlier` was the decision of the same request, and counts no more. */
  count(decision: Decision, earlier: Decision | undefined): void {
    const key = decision.limits[0]?.key
    if (key === undefined) return
    this.#since ??= this.#clock()
    const counts = this.#countsOf(key)
    if (counts === undefined) {
      if (earlier === undefined) this.#dropped += 1
      return
    }
    if (earlier === undefined) counts.came(Math.floor(this.#clock() / 1_000))
    else counts.add(earlier, -1)
    counts.add(decision, 1)
  }

  /** Notes a customer who is not in the document. */
  sawUnknown(customer: string): void {
    const text = this.#unknownText + customer.length
    if (this.#unknown.size >= LARGEST_REPORT || text > LARGEST_REPORT * KEY_LENGTH || this.#unknown.has(customer))
      return
    this.#unknown.add(copyOf(customer))
    this.#unknownText = text
  }

  /** The report to send now; `undefined` when there is nothing to say. The same one until it is acknowledged or refused. */
  next(): SyncReport | undefined {
    if (this.#waiting.length === 0) this.#waiting = this.#handOut()
    const [first] = this.#waiting
    return first === undefined ? undefined : { seq: this.#seq, ...first }
  }

  /** The report with this number, and all before it, have been counted. True where that was news, and another waits. */
  acknowledge(seq: number): boolean {
    if (this.#waiting.length === 0 || seq < this.#seq) return false
    this.#waiting.shift()
    this.#seq += 1
    return this.#waiting.length > 0
  }

  /** The report was refused for what is in it, or for its size: it is halved; of one customer it is dropped. */
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
    const text = this.#countedText + key.length
    if (this.#counts.size >= this.#mostCustomers || text > this.#mostCustomers * KEY_LENGTH) return undefined
    const counts = new Counts()
    this.#counts.set(copyOf(key), counts)
    this.#countedText = text
    return counts
  }

  #handOut(): Unsent[] {
    const now = this.#clock()
    const lengthMs = Math.max(0, Math.round(now - (this.#since ?? now)))
    const usage = [...this.#counts].flatMap(([key, counts]) => counts.handOut(key))
    const [unknown, dropped] = [[...this.#unknown], this.#dropped]
    this.#counts = new Map([...this.#counts].filter(([, counts]) => !counts.isEmpty))
    this.#countedText = [...this.#counts.keys()].reduce((sum, key) => sum + key.length, 0)
    this.#unknown = new Set()
    this.#unknownText = 0
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

/** How many characters of key there is room for, to a customer. */
const KEY_LENGTH = 64

/** The same text in memory of its own: a slice would keep alive the whole header that it was cut from. */
function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}

/** What is counted of one customer. */
class Counts {
  #allowed = 0
  #refused = 0
  #peak = 0
  #second = Number.NaN
  #inSecond = 0
  readonly #refusedBy = new Map<string, number>()

  came(second: number): void {
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
   * What can be told now; what cannot stays. A request that was reported as let in, and was refused by a costlier route
   * after that, leaves a count of less than nothing here: it is made up for by the next ones.
   */
  handOut(key: string): SyncUsage[] {
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
