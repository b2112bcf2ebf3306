import { costFor, drained, fits, givenBack, taken } from './bucket.js'
import { BucketRows } from './bucket-rows.js'
import { type Charge, disjoint } from './charge.js'
import { type Decision, decisionOf, type LimitStatus, statusOf } from './decision.js'
import { RailError, shown } from './errors.js'
import { NONE } from './key-table.js'
import type { Limit } from './limit.js'
import type { Store } from './store.js'

/** What {@link MemoryStore} takes. */
export interface MemoryStoreOptions {
  /** How many keys are kept at most. Their characters are bounded too, by 64 for each. @default 40_000 */
  readonly maxKeys?: number | undefined
}

/**
 * Buckets in this process's memory, bounded whatever anybody sends. Several limiters can share one store.
 *
 * A full store drops a key whose buckets are all full, if one of the 8 least recently used is such (nothing is lost), else
 * the least recently used. Nothing large is allocated, and nothing drawn at random, until the first take.
 *
 * @throws RailError `RAIL_BAD_OPTION` when `maxKeys` is not a whole number from 1 to 16,777,216
 */
export class MemoryStore implements Store {
  readonly #maxKeys: number
  #made: BucketRows | undefined
  // Of the take in hand, kept between takes only to be used again. For each charge: its hash, its row, and how far the
  // clock has stepped back behind that row. For each bucket, in the order of the statuses: what it owes.
  readonly #hashes: number[] = []
  readonly #rows: number[] = []
  readonly #aheadMs: number[] = []
  readonly #owed: number[] = []
  readonly #changed: number[] = []
  #count = 0

  constructor(options: MemoryStoreOptions = {}) {
    const { maxKeys = 40_000 } = options
    if (!Number.isInteger(maxKeys) || maxKeys < 1 || maxKeys > MOST_KEYS) {
      throw new RailError('RAIL_BAD_OPTION', `maxKeys is a whole number from 1 to ${MOST_KEYS}, got ${shown(maxKeys)}.`)
    }
    this.#maxKeys = maxKeys
  }

  /** How many keys are kept now. */
  get size(): number {
    return this.#made?.size ?? 0
  }

  take(charges: readonly Charge[], now: number): Decision {
    return this.#decide(charges, now, true)
  }

  peek(charges: readonly Charge[], now: number): Decision {
    return this.#decide(charges, now, false)
  }

  settle(charges: readonly Charge[], actual: number, now: number): void {
    for (const { scope = '', key, limits, cost } of charges) {
      const counted = limits.filter((limit) => limit.counts === 'cost')
      if (actual !== cost && counted.length > 0) this.#ready().move(scope, key, counted, actual - cost, now)
    }
  }

  reset(key: string, scope = ''): void {
    this.#ready().remove(scope, key)
  }

  #ready(): BucketRows {
    this.#made ??= new BucketRows(this.#maxKeys)
    return this.#made
  }

  #decide(charges: readonly Charge[], now: number, commit: boolean): Decision {
    this.#made ??= new BucketRows(this.#maxKeys)
    if (charges.length === 1) {
      const decision = this.#decideOne(this.#made, charges[0] as Charge, now, commit)
      if (decision !== undefined) return decision
    }
    return this.#decideMany(this.#made, charges.length > 1 ? disjoint(charges) : charges, now, commit)
  }

  /** The common case in one go: one charge, of a key that is new or was last charged under the same limits. */
  #decideOne(buckets: BucketRows, charge: Charge, now: number, commit: boolean): Decision | undefined {
    const { key, limits, cost } = charge
    const scope = charge.scope === undefined ? '' : charge.scope
    const hash = buckets.hash(scope, key)
    let row = buckets.find(scope, key, hash)
    if (charge.taken !== undefined || !buckets.open(row, limits, now)) return undefined
    const { state, elapsedMs, aheadMs_: aheadMs } = buckets
    const count = limits.length
    const first = buckets.first
    let allowed = true
    for (let i = 0; i < count; i++) {
      const limit = limits[i] as Limit
      const owed = drained(state[first + i] as number, elapsedMs, limit)
      if (!fits(owed, limit, costFor(limit, cost))) allowed = false
    }
    const statuses = new Array<LimitStatus>(count)
    for (let i = 0; i < count; i++) {
      const limit = limits[i] as Limit
      const asks = costFor(limit, cost)
      let owed = drained(state[first + i] as number, elapsedMs, limit)
      const refused = !allowed && !fits(owed, limit, asks)
      if (allowed) owed = taken(owed, limit, asks)
      if (commit && row !== NONE) state[first + i] = owed
      statuses[i] = statusOf(limit, key, scope, asks, refused, owed, aheadMs)
    }
    if (commit) {
      if (row !== NONE) {
        state[first - 1] = now + aheadMs
        buckets.touch(row)
      } else if (allowed && statuses.some((status) => status.fullAfterMs > 0)) {
        // Where nothing is owed there is nothing to keep: refusals and junk keys make no row.
        row = buckets.insert(scope, key, hash, limits, now)
        buckets.open(row, limits, now)
        const s2 = buckets.state,
          f2 = buckets.first
        for (let i = 0; i < count; i++) s2[f2 + i] = taken(0, limits[i] as Limit, costFor(limits[i] as Limit, cost))
      }
    }
    return decisionOf(statuses)
  }

  #decideMany(buckets: BucketRows, asked: readonly Charge[], now: number, commit: boolean): Decision {
    const changed = this.#changed
    changed.length = 0
    const allowed = this.#ask(buckets, asked, now, changed)
    const statuses = this.#answer(asked, allowed)
    if (commit) this.#write(buckets, asked, now)
    return decisionOf(
      statuses,
      changed.length === 0 ? undefined : changed.map((bucket) => statuses[bucket] as LimitStatus),
    )
  }

  /** Reads what every bucket owes now and asks whether all have room. `changed` receives those whose limit has changed. */
  #ask(buckets: BucketRows, asked: readonly Charge[], now: number, changed: number[]): boolean {
    const owed = this.#owed
    let allowed = true
    let bucket = 0
    for (let index = 0; index < asked.length; index++) {
      const { scope = '', key, limits, cost, taken: before } = asked[index] as Charge
      const hash = buckets.hash(scope, key)
      const row = buckets.find(scope, key, hash)
      this.#hashes[index] = hash
      this.#rows[index] = row
      this.#aheadMs[index] = row === NONE ? 0 : buckets.aheadMs(row, now)
      buckets.read(row, limits, now, owed, bucket, changed)
      for (let i = 0; i < limits.length; i++, bucket++) {
        const limit = limits[i] as Limit
        if (before !== undefined) owed[bucket] = givenBack(owed[bucket] as number, limit, costFor(limit, before))
        if (!fits(owed[bucket] as number, limit, costFor(limit, cost))) allowed = false
      }
    }
    this.#count = bucket
    return allowed
  }

  /** Takes from every bucket if allowed, and says how each stands. */
  #answer(asked: readonly Charge[], allowed: boolean): LimitStatus[] {
    const owed = this.#owed
    const statuses = new Array<LimitStatus>(this.#count)
    for (let index = 0, bucket = 0; index < asked.length; index++) {
      const { scope = '', key, limits, cost } = asked[index] as Charge
      const aheadMs = this.#aheadMs[index] as number
      for (let i = 0; i < limits.length; i++, bucket++) {
        const limit = limits[i] as Limit
        const asks = costFor(limit, cost)
        const refused = !allowed && !fits(owed[bucket] as number, limit, asks)
        if (allowed) owed[bucket] = taken(owed[bucket] as number, limit, asks)
        statuses[bucket] = statusOf(limit, key, scope, asks, refused, owed[bucket] as number, aheadMs)
      }
    }
    return statuses
  }

  /** Keeps what every bucket owes: first in rows that exist, since making one may drop another. */
  #write(buckets: BucketRows, asked: readonly Charge[], now: number): void {
    let missing = false
    for (let index = 0, first = 0; index < asked.length; index++) {
      const { limits } = asked[index] as Charge
      const row = this.#rows[index] as number
      if (row === NONE) missing = true
      else buckets.write(row, limits, now, this.#owed, first)
      first += limits.length
    }
    if (missing) this.#writeMissing(buckets, asked, now)
  }

  #owes(first: number, next: number): boolean {
    for (let bucket = first; bucket < next; bucket++) if ((this.#owed[bucket] as number) > 0) return true
    return false
  }

  /** Makes the rows that were missing, where they come to owe something: junk keys and refusals make none. */
  #writeMissing(buckets: BucketRows, asked: readonly Charge[], now: number): void {
    for (let index = 0, first = 0; index < asked.length; index++) {
      const { scope = '', key, limits } = asked[index] as Charge
      const next = first + limits.length
      if (this.#rows[index] === NONE && this.#owes(first, next)) {
        const hash = this.#hashes[index] as number
        // Another charge of this take may have made it.
        const made = asked.length === 1 ? NONE : buckets.find(scope, key, hash)
        const row = made === NONE ? buckets.insert(scope, key, hash, limits, now) : made
        buckets.write(row, limits, now, this.#owed, first)
      }
      first = next
    }
  }
}

/** Row numbers and the slots of their index are kept as 32-bit integers. */
const MOST_KEYS = 2 ** 24
