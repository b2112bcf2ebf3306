import { shown } from '../base/errors.js'
import type { Decision, LimitStatus } from '../bucket/decision.js'
import type { Store } from '../bucket/store.js'
import type { Charge } from '../limit/charge.js'
import { inWords } from '../limit/duration.js'
import type { Limit } from '../limit/limit.js'
import { sentName } from '../limit/sent-name.js'
import type { Reporter } from './reporter.js'
import { type Flapping, WatchedBucket } from './watched-bucket.js'

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
  readonly #watched = new Map<string, WatchedBucket[]>()
  #size = 0
  /** When nothing that is known matters any more, and the longest for which anything does. */
  #until = 0
  #longestMs = 0

  /**
   * The charges to ask a store for in place of these: where a bucket's definition has changed 3 times within a minute, or 10
   * times within the longest window of the 10, the tightest of these is asked instead of any other, until it, or all others,
   * have not been asked for for as long.
   */
  hold(charges: readonly Charge[], now: number, tellOnce: Reporter['tellOnce']): readonly Charge[] {
    if (this.#watched.size === 0) return charges
    if (now > this.#until) {
      this.#watched.clear()
      this.#size = 0
      this.#longestMs = 0
      return charges
    }
    // The clock may have stepped back.
    this.#until = Math.min(this.#until, now + this.#longestMs)
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
      this.#remember(bucket, now)
      const flapping = bucket.redefined(limit, now)
      if (flapping !== undefined) tell(status, limit, flapping, tellOnce)
    }
  }

  /** The definition to ask of a bucket where `limit` was to be asked. */
  #asked(charge: Charge, limit: Limit, now: number, tellOnce: Reporter['tellOnce']): Limit {
    const { scope = '', key } = charge
    const bucket = this.#find(scope, key, limit)
    if (bucket === undefined) return limit
    if (bucket.note(limit, now)) this.#moveLast(bucket.key)
    else if (bucket.flapping === undefined) return limit
    this.#remember(bucket, now)
    if (bucket.flapping !== undefined) tell({ scope, key }, limit, bucket.flapping, tellOnce)
    return bucket.asked(limit, now)
  }

  #find(scope: string, key: string, { name }: Limit): WatchedBucket | undefined {
    return this.#watched.get(key)?.find((bucket) => bucket.name === name && bucket.scope === scope)
  }

  /** Watches one more bucket. Where there are too many, those go that changed longest ago, but none that is held. */
  #add({ scope, key }: LimitStatus, limit: Limit, now: number): WatchedBucket | undefined {
    if (this.#size >= MOST_WATCHED) {
      const [oldest, buckets] = this.#watched.entries().next().value as [string, WatchedBucket[]]
      if (buckets.some((bucket) => bucket.isHeld(now))) {
        this.#moveLast(oldest)
        return undefined
      }
      this.#watched.delete(oldest)
      this.#size -= buckets.length
    }
    const bucket = new WatchedBucket(scope, key, limit, now)
    const others = this.#watched.get(key)
    if (others === undefined) this.#watched.set(bucket.key, [bucket])
    else others.push(bucket)
    this.#size++
    return bucket
  }

  #moveLast(key: string): void {
    const buckets = this.#watched.get(key) as WatchedBucket[]
    this.#watched.delete(key)
    this.#watched.set(key, buckets)
  }

  #remember({ windowMs }: WatchedBucket, now: number): void {
    this.#longestMs = Math.max(this.#longestMs, windowMs)
    this.#until = Math.max(this.#until, now + windowMs)
  }
}

/** Bounds what is remembered, in buckets. */
const MOST_WATCHED = 1_000

function tell(
  { scope, key }: Pick<LimitStatus, 'scope' | 'key'>,
  limit: Limit,
  { changes, windowMs }: Flapping,
  tellOnce: Reporter['tellOnce'],
): void {
  const name = sentName(scope, limit)
  tellOnce(
    'RAIL_FLAPPING_LIMIT',
    name,
    () =>
      `Limit "${name}" of key ${shown(key)} changed its definition ${changes} times within ${inWords(windowMs)}: two ` +
      'routes or limiters seem to define one name differently, each undoing the other. While one process asks for both, ' +
      'the tighter one holds. Give one another name or scope.',
  )
}

/** The definition that a status is of, as it was charged: a store may have asked a share of it. */
function definitionOf({ scope, key, limit }: LimitStatus, charges: readonly Charge[]): Limit {
  const asked = charges.filter((charge) => charge.key === key && (charge.scope ?? '') === scope)
  return asked.flatMap(({ limits }) => limits).find(({ name }) => name === limit.name) ?? limit
}
