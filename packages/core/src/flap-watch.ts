import type { Charge } from './charge.js'
import { type Decision, type LimitStatus, sentName } from './decision.js'
import { shown } from './errors.js'
import { type Limit, limitOf, sameBucket } from './limit.js'
import { flatCopy } from './long-keys.js'
import type { Reporter } from './reporter.js'
import type { Store } from './store.js'

const watches = new WeakMap<Store, FlapWatch>()

/** The watch over a store: one, however many limiters use it, because the definitions that take turns may be theirs. */
export function watchOf(store: Store): FlapWatch {
  const known = watches.get(store)
  if (known !== undefined) return known
  const watch = new FlapWatch()
  watches.set(store, watch)
  return watch
}

/**
 * Looks for buckets whose definition flaps, and holds them to the tightest one. Each change to a larger definition is felt
 * at once, so two that take turns would let everything in.
 *
 * A bucket is watched from when a store first says that its definition has changed. Only definitions that are asked in
 * this process count: while servers are replaced one by one, others may ask for another one, and neither is wrong.
 */
export class FlapWatch {
  /** By key, the one whose definitions have not changed for longest first. */
  readonly #watched = new Map<string, Bucket[]>()
  #size = 0
  /** When nothing that is known matters any more. */
  #until = 0

  /**
   * The charges to ask a store for in place of these: where a bucket's definition has changed 3 times within a minute, the
   * tightest of the 3 is asked instead of any other, until it, or all others, have not been asked for for a minute.
   */
  hold(charges: readonly Charge[], now: number, tellOnce: Reporter['tellOnce']): readonly Charge[] {
    if (this.#watched.size === 0) return charges
    if (now > this.#until) {
      this.#watched.clear()
      this.#size = 0
      return charges
    }
    // The clock may have stepped back.
    this.#until = Math.min(this.#until, now + FLAPPING_MS)
    if (!charges.some(({ key }) => this.#watched.has(key))) return charges
    return charges.map((charge) => {
      const limits = charge.limits.map((limit) => this.#asked(charge, limit, now, tellOnce))
      return limits.every((limit, index) => limit === charge.limits[index]) ? charge : { ...charge, limits }
    })
  }

  /** Learns from a decision on these charges which buckets to watch. */
  look(charges: readonly Charge[], decision: Decision, now: number, tellOnce: Reporter['tellOnce']): void {
    for (const status of decision.redefined) {
      const { scope, key, limit } = status
      const bucket = this.#find(scope, key, limit) ?? this.#add(status, definitionOf(status, charges), now)
      if (bucket === undefined) continue
      this.#until = Math.max(this.#until, now + FLAPPING_MS)
      bucket.redefinedAt = [...bucket.redefinedAt, now].slice(-FLAPS)
      if (bucket.redefinedAt.length === FLAPS && now - (bucket.redefinedAt[0] as number) <= FLAPPING_MS) {
        tell(status, limit, tellOnce)
      }
    }
  }

  /** The definition to ask of a bucket where `limit` was to be asked. */
  #asked(charge: Charge, limit: Limit, now: number, tellOnce: Reporter['tellOnce']): Limit {
    const { scope = '', key } = charge
    const bucket = this.#find(scope, key, limit)
    if (bucket === undefined) return limit
    stepBack(bucket, now)
    if (bucket.held !== undefined && !holds(bucket.held, now)) {
      bucket.held = undefined
      bucket.changes = []
    }
    if (bucket.held === undefined) this.#change(bucket, limit, now)
    const { held } = bucket
    if (held === undefined) return limit
    tell({ scope, key }, limit, tellOnce)
    this.#until = now + FLAPPING_MS
    if (isTighter(held.limit, limit)) {
      held.othersAt = now
      return held.limit
    }
    // What this request was held to when it was asked about before is not meant by anybody.
    if (limit === held.limit) return limit
    held.askedAt = now
    if (isTighter(limit, held.limit)) held.limit = copyOf(limit)
    return limit
  }

  /** Notes that `limit` is asked of a bucket, and holds the bucket if its definition has changed too often. */
  #change(bucket: Bucket, limit: Limit, now: number): void {
    const latest = bucket.changes.at(-1)
    if (latest !== undefined && (sameBucket(latest.limit, limit) || areShares(latest.limit, limit))) {
      latest.limit = limit
      latest.askedAt = now
      return
    }
    bucket.changes = [...bucket.changes, { limit, at: now, askedAt: now }].slice(-FLAPS)
    this.#until = now + FLAPPING_MS
    const buckets = this.#watched.get(bucket.key) as Bucket[]
    this.#watched.delete(bucket.key)
    this.#watched.set(bucket.key, buckets)
    const [first] = bucket.changes as [Change, ...Change[]]
    if (bucket.changes.length === FLAPS && now - first.at <= FLAPPING_MS) bucket.held = heldTo(bucket.changes, now)
  }

  #find(scope: string, key: string, { name }: Limit): Bucket | undefined {
    return this.#watched.get(key)?.find((bucket) => bucket.name === name && bucket.scope === scope)
  }

  /** Watches one more bucket. Where there are too many, those go that have not changed for longest, but none that is held. */
  #add({ scope, key }: LimitStatus, limit: Limit, now: number): Bucket | undefined {
    if (this.#size >= MOST_WATCHED) {
      const [oldest, buckets] = this.#watched.entries().next().value as [string, Bucket[]]
      this.#watched.delete(oldest)
      if (buckets.some(({ held }) => held !== undefined && holds(held, now))) {
        this.#watched.set(oldest, buckets)
        return undefined
      }
      this.#size -= buckets.length
    }
    const bucket: Bucket = {
      scope,
      key: flatCopy(key),
      name: limit.name,
      changes: [{ limit, at: now, askedAt: now }],
      redefinedAt: [],
      held: undefined,
    }
    const others = this.#watched.get(key)
    if (others === undefined) this.#watched.set(bucket.key, [bucket])
    else others.push(bucket)
    this.#size++
    return bucket
  }
}

/** What is known of one bucket. */
interface Bucket {
  readonly scope: string
  readonly key: string
  readonly name: string
  /** The latest definitions that were asked here, each another one than that before it: at most {@link FLAPS}. */
  changes: Change[]
  /** When the store last said that the definition had changed, here or in another process: at most {@link FLAPS} times. */
  redefinedAt: number[]
  held: Held | undefined
}

/** What is asked instead of anything looser, when somebody last meant to ask it, and when something looser. */
interface Held {
  limit: Limit
  askedAt: number
  othersAt: number
}

interface Change {
  limit: Limit
  at: number
  askedAt: number
}

/** So many changes of one bucket's definition within so long are no change of plan. */
const FLAPS = 3
const FLAPPING_MS = 60_000
/** Bounds what is remembered, in buckets. */
const MOST_WATCHED = 1_000

function tell({ scope, key }: Pick<LimitStatus, 'scope' | 'key'>, limit: Limit, tellOnce: Reporter['tellOnce']): void {
  const name = sentName(scope, limit)
  tellOnce(
    'RAIL_FLAPPING_LIMIT',
    name,
    () =>
      `Limit "${name}" of key ${shown(key)} changed its definition ${FLAPS} times within a minute: two routes or limiters ` +
      'seem to define one name differently, each undoing the other. While one process asks for both, the tighter one holds. ' +
      'Give one another name or scope.',
  )
}

/** The definition that a status is of, as it was charged: a store may have asked a share of it. */
function definitionOf({ scope, key, limit }: LimitStatus, charges: readonly Charge[]): Limit {
  const asked = charges.filter((charge) => charge.key === key && (charge.scope ?? '') === scope)
  return asked.flatMap(({ limits }) => limits).find(({ name }) => name === limit.name) ?? limit
}

/** The tightest of definitions of which the latest is asked now. */
function heldTo(changes: readonly Change[], now: number): Held {
  const tightest = changes.reduce((found, other) => (isTighter(other.limit, found.limit) ? other : found))
  return { limit: copyOf(tightest.limit), askedAt: tightest.askedAt, othersAt: now }
}

/** Whether definitions still take turns: both the tightest and another one have been asked lately. */
function holds({ askedAt, othersAt }: Held, now: number): boolean {
  return now - Math.min(askedAt, othersAt) <= FLAPPING_MS
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

/** A clock that has stepped back holds nothing for longer: what seems yet to come is now. */
function stepBack({ changes, held }: Bucket, now: number): void {
  for (const change of changes) {
    change.at = Math.min(change.at, now)
    change.askedAt = Math.min(change.askedAt, now)
  }
  if (held === undefined) return
  held.askedAt = Math.min(held.askedAt, now)
  held.othersAt = Math.min(held.othersAt, now)
}
