import { type Limit, limitOf, sameBucket } from '../limit/limit.js'
import { flatCopy } from '../memory/long-keys.js'

/** So many changes of one bucket's definition within so long, in milliseconds: no change of plan. */
export interface Flapping {
  readonly changes: number
  readonly windowMs: number
}

/** What is known of one bucket whose definition has changed: what is asked of it in this process, and what it is held to. */
export class WatchedBucket {
  readonly scope: string
  readonly key: string
  readonly name: string
  readonly #counted: Counted[] = TIERS.map((tier) => ({ tier, changes: [] }))
  #hold: Hold | undefined
  /** When the store last said that the definition had changed, here or in another process, and to what. */
  #redefinedAt: number[] = []
  #redefinedTo: Limit | undefined

  constructor(scope: string, key: string, limit: Limit, now: number) {
    this.scope = scope
    this.key = flatCopy(key)
    this.name = limit.name
    this.note(limit, now)
  }

  /** For how long what is known matters, in milliseconds. */
  get windowMs(): number {
    return Math.max(...this.#counted.map(({ tier, changes }) => tier.windowMs(changes)))
  }

  /** Why the bucket is held; `undefined` if it is not. */
  get flapping(): Flapping | undefined {
    return this.#hold?.flapping
  }

  /** Whether definitions still take turns: both the tightest and another one have been asked lately. */
  isHeld(now: number): boolean {
    if (this.#hold === undefined) return false
    const { askedAt, othersAt, flapping } = this.#hold
    return now - Math.min(askedAt, othersAt) <= flapping.windowMs
  }

  /**
   * Notes that `limit` is to be asked, and holds the bucket if that is one change too many, or lets it go. Answers whether
   * it is a change.
   */
  note(limit: Limit, now: number): boolean {
    this.#stepBack(now)
    if (this.isHeld(now)) return false
    if (this.#hold !== undefined) this.#letGo(this.#hold.flapping)
    const changed = this.#counted.filter((counted) => count(counted, limit, now))
    for (const { tier, changes } of changed) {
      const windowMs = tier.windowMs(changes)
      const [first] = changes as [Change, ...Change[]]
      // The slower tier comes last, and holds for longer.
      if (changes.length === tier.changes && now - first.at <= windowMs) this.#hold = holdOf(changes, windowMs, now)
    }
    return changed.length > 0
  }

  /** The definition to ask where `limit` was to be asked, which has been noted. */
  asked(limit: Limit, now: number): Limit {
    const hold = this.#hold
    if (hold === undefined) return limit
    if (isTighter(hold.limit, limit)) {
      hold.othersAt = now
      return hold.limit
    }
    // What this request was held to when it was asked about before is not meant by anybody.
    if (limit === hold.limit) return limit
    hold.askedAt = now
    if (isTighter(limit, hold.limit)) hold.limit = copyOf(limit)
    return limit
  }

  /** Notes that the store says that the definition has changed, to `limit`. Answers whether that is too often. */
  redefined(limit: Limit, now: number): Flapping | undefined {
    const before = this.#redefinedTo
    this.#redefinedTo = limit
    if (before !== undefined && !sameBucket(before, limit) && areShares(before, limit)) return undefined
    this.#redefinedAt = [...this.#redefinedAt, now].slice(-MOST_CHANGES)
    for (const { tier, changes } of this.#counted) {
      const windowMs = tier.windowMs(changes)
      const first = this.#redefinedAt.at(-tier.changes)
      if (first !== undefined && now - first <= windowMs) return { changes: tier.changes, windowMs }
    }
    return undefined
  }

  /** What has changed before does not count any more. A slower tier goes on counting what it did not hold. */
  #letGo(flapping: Flapping): void {
    this.#hold = undefined
    for (const counted of this.#counted) if (counted.tier.changes <= flapping.changes) counted.changes = []
  }

  /** A clock that has stepped back holds nothing for longer: what seems yet to come is now. */
  #stepBack(now: number): void {
    for (const change of this.#counted.flatMap(({ changes }) => changes)) {
      change.at = Math.min(change.at, now)
      change.askedAt = Math.min(change.askedAt, now)
    }
    if (this.#hold === undefined) return
    this.#hold.askedAt = Math.min(this.#hold.askedAt, now)
    this.#hold.othersAt = Math.min(this.#hold.othersAt, now)
  }
}

interface Change {
  limit: Limit
  at: number
  askedAt: number
}

/** What is asked instead of anything looser, when somebody last meant to ask it, and when something looser. */
interface Hold {
  limit: Limit
  askedAt: number
  othersAt: number
  readonly flapping: Flapping
}

/** How many changes hold a bucket, within which time and for how long. */
interface Tier {
  readonly changes: number
  /** In milliseconds, from the changes that count. */
  readonly windowMs: (changes: readonly Change[]) => number
}

interface Counted {
  readonly tier: Tier
  /** The latest definitions that were asked here, each another one than that before it: at most as many as hold. */
  changes: Change[]
}

const TIERS: readonly Tier[] = [
  { changes: 3, windowMs: () => 60_000 },
  // Where no window is longer than a minute, the first one always holds before.
  { changes: 10, windowMs: (changes) => Math.max(0, ...changes.map(({ limit }) => limit.windowMs)) },
]
const MOST_CHANGES = Math.max(...TIERS.map(({ changes }) => changes))

/** Counts `limit` if it is another definition than that asked before it. Answers whether it is. */
function count(counted: Counted, limit: Limit, now: number): boolean {
  const latest = counted.changes.at(-1)
  if (latest !== undefined && (sameBucket(latest.limit, limit) || areShares(latest.limit, limit))) {
    latest.limit = limit
    latest.askedAt = now
    return false
  }
  counted.changes = [...counted.changes, { limit, at: now, askedAt: now }].slice(-counted.tier.changes)
  return true
}

/** What holds a bucket from now on: the tightest of the definitions that it changed between, as it was last asked. */
function holdOf(changes: readonly Change[], windowMs: number, now: number): Hold {
  const { limit, askedAt } = changes.reduce((found, other) => (isTighter(found.limit, other.limit) ? found : other))
  return { limit: copyOf(limit), askedAt, othersAt: now, flapping: { changes: changes.length, windowMs } }
}

/** Whether a definition lets in less than another: more slowly, else fewer at once. */
function isTighter(a: Limit, b: Limit): boolean {
  // Rounding is monotone: it can make two rates seem equal, never the slower one the faster.
  const faster = a.flow / a.grain - b.flow / b.grain
  return (faster || a.burst - b.burst || a.wholeBurst - b.wholeBurst) < 0
}

/** Whether definitions are shares of one limit, which change with the number of servers, as often as that does. */
function areShares(a: Limit, b: Limit): boolean {
  const isShare = a.burst < a.wholeBurst || b.burst < b.wholeBurst
  return isShare && a.wholeBurst === b.wholeBurst && a.windowMs === b.windowMs
}

/** An equal limit, told apart from those that users ask for by being another object. */
function copyOf(limit: Limit): Limit {
  return limitOf(limit)
}
