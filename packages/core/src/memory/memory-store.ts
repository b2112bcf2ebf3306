import { checkOption, checkOptionNames, isFunction } from '../base/check.js'
import { warn } from '../base/warning.js'
import { costFor, fits, givenBack, owedAfterTake } from '../bucket/bucket.js'
import { type Decision, decisionOf, type LimitStatus, statusOf } from '../bucket/decision.js'
import { listOf } from '../bucket/list-of.js'
import { forgetLimit } from '../bucket/static-limits.js'
import type { Store } from '../bucket/store.js'
import { type Charge, chargesBeside, checkCost, checkKey, disjoint, tokensTaken } from '../limit/charge.js'
import { checkedCharges, checkNow } from '../limit/check-charges.js'
import { type Limit, sameLimits } from '../limit/limit.js'
import { decideBlock } from './block-decision.js'
import { BucketRows } from './bucket-rows.js'
import { Dropped } from './dropped.js'
import { MOST_ROWS, NO_ROW } from './key-row.js'

/** The options of {@link MemoryStore}. */
export interface MemoryStoreOptions {
  /** The most keys. The characters of keys and scopes are bounded too, by 64 for each key. @default 40_000 */
  readonly maxKeys?: number | undefined
  /**
   * Called with `RAIL_STORE_FULL`, once a minute while the store drops keys that owe tokens. @default the limiter's `onError`
   * for the store that it makes, else a warning
   */
  readonly onError?: ((error: unknown) => void) | undefined
}

/**
 * Buckets in this process's memory, which is bounded for any keys. Several limiters can share one store.
 *
 * A full store drops the first of the 8 least recently used keys whose buckets are all full: nothing is lost. If there is
 * none, it drops the least recently used key. A key keeps at most 255 buckets beside those of its latest request, those that
 * take longest to fill.
 *
 * A new store allocates nothing large and draws nothing at random until its first take.
 *
 * @throws RailError `RAIL_BAD_OPTION` when `maxKeys` is not a whole number from 1 to 16,777,216, `RAIL_UNKNOWN_OPTION`
 */
export class MemoryStore implements Store {
  readonly #maxKeys: number
  readonly #dropped: Dropped
  #made: BucketRows | undefined
  // Working arrays of one take. For each charge: its row, and how far the clock has stepped back behind that row.
  // For each bucket, in the order of the statuses: the grains that it owes, and its total.
  readonly #rows: number[] = []
  readonly #aheadMs: number[] = []
  readonly #owed: number[] = []
  readonly #totals: number[] = []
  /** Room for a block of full buckets. */
  #full = new Float64Array()

  constructor(options: MemoryStoreOptions = {}) {
    checkOptionNames(options, ['maxKeys', 'onError'], 'MemoryStore')
    const { maxKeys = 40_000, onError = warn } = options
    checkOption('maxKeys', maxKeys, `a whole number from 1 to ${MOST_ROWS}`, isNumberOfKeys)
    checkOption('onError', onError, 'a function', isFunction)
    this.#maxKeys = maxKeys
    this.#dropped = new Dropped(onError)
  }

  /** The number of keys in the store. */
  get size(): number {
    return this.#made?.size ?? 0
  }

  /** The number of keys that were dropped although they owed tokens: their customers began again with full buckets. */
  get dropped(): number {
    return this.#dropped.total
  }

  /** @throws RailError for wrong charges or a wrong moment; nothing is taken then */
  take(charges: readonly Charge[], now: number, before?: readonly Charge[]): Decision {
    return this.#decide(charges, now, true, before)
  }

  /** @throws as {@link take} */
  peek(charges: readonly Charge[], now: number, before?: readonly Charge[]): Decision {
    return this.#decide(charges, now, false, before)
  }

  /** @throws as {@link take}, and RailError `RAIL_BAD_COST` for the actual cost */
  settle(charges: readonly Charge[], actual: number, now: number): void {
    checkCost(actual, 'settle()')
    checkNow(now)
    for (const { scope = '', key, limits, cost } of checkedCharges(charges)) {
      const counted = limits.filter((limit) => limit.counts === 'cost')
      if (actual !== cost && counted.length > 0) this.#ready().move(scope, key, counted, actual - cost, now)
    }
  }

  /** @throws RailError `RAIL_BAD_KEY`, `RAIL_BAD_OPTION` for a scope that is not a string */
  reset(key: string, scope = ''): void {
    checkKey(key, 'key of reset()')
    checkOption('scope', scope, 'a string', (value) => typeof value === 'string')
    this.#ready().remove(scope, key)
  }

  /**
   * Forgets the definition of a static limit, so that a limiter that is made again can change it.
   *
   * @throws RailError `RAIL_BAD_OPTION` for a scope or a name that is not a string
   */
  forget(scope: string, name: string): void {
    forgetLimit(this, scope, name)
  }

  #ready(): BucketRows {
    this.#made ??= new BucketRows(this.#maxKeys, this.#dropped)
    return this.#made
  }

  #decide(given: readonly Charge[], now: number, commit: boolean, before?: readonly Charge[]): Decision {
    checkNow(now)
    const charges = checkedCharges(given)
    const buckets = this.#ready()
    if (before !== undefined) {
      return this.#decideAgain(buckets, disjoint(charges), now, commit, checkedCharges(before))
    }
    if (charges.length > 1) return this.#decideMany(buckets, disjoint(charges), now, commit)
    const charge = charges[0]
    if (charge === undefined) return decisionOf([])
    const row = buckets.find(charge.scope ?? '', charge.key)
    if (row === NO_ROW) return this.#decideNew(buckets, charge, now, commit)
    const { limits, blocks, hasTotals } = buckets.layoutOf(row)
    const same = limits === charge.limits || sameLimits(limits, charge.limits)
    if (!same || hasTotals) return this.#decideMany(buckets, charges, now, commit)
    const first = blocks.firstOf(buckets.blockOf(row))
    if (!commit) return decideBlock(blocks.state.slice(first - 1, first + limits.length), 1, charge, now)
    buckets.touch(row)
    return decideBlock(blocks.state, first, charge, now)
  }

  /** The decision on a key that has no row: its buckets are full. */
  #decideNew(buckets: BucketRows, charge: Charge, now: number, commit: boolean): Decision {
    const { scope = '', key, limits } = charge
    if (this.#full.length <= limits.length) this.#full = new Float64Array(2 * limits.length)
    const block = this.#full
    for (let i = 0; i <= limits.length; i++) block[i] = 0
    const decision = decideBlock(block, 1, charge, now)
    // Where no bucket owes anything no row is made: refusals and junk keys take no memory.
    let owing = limits.length
    while (owing > 0 && block[owing] === 0) owing--
    if (commit && owing > 0) {
      const row = buckets.insert(scope, key, limits, now)
      const first = buckets.firstOf(row)
      for (let i = 0; i < limits.length; i++) buckets.layoutOf(row).blocks.state[first + i] = block[i + 1] as number
    }
    return decision
  }

  /** The decision on a request that was charged before. */
  #decideAgain(
    buckets: BucketRows,
    charges: readonly Charge[],
    now: number,
    commit: boolean,
    before: readonly Charge[],
  ): Decision {
    const decision = this.#decideMany(buckets, charges, now, commit, before)
    for (const { scope = '', key, limits, cost } of commit ? chargesBeside(disjoint(before), charges) : NO_CHARGES) {
      for (const limit of limits) buckets.move(scope, key, [limit], -costFor(limit, cost), now)
    }
    return decision
  }

  #decideMany(
    buckets: BucketRows,
    charges: readonly Charge[],
    now: number,
    commit: boolean,
    before: readonly Charge[] = NO_CHARGES,
  ): Decision {
    const allowed = this.#check(buckets, charges, now, before)
    const statuses = this.#takeAll(charges, allowed)
    if (commit) this.#write(buckets, charges, now)
    return decisionOf(statuses)
  }

  /** Reads what every bucket owes now. Returns whether all have room. */
  #check(buckets: BucketRows, charges: readonly Charge[], now: number, before: readonly Charge[]): boolean {
    const owed = this.#owed
    const totals = this.#totals
    let allowed = true
    let bucket = 0
    for (let index = 0; index < charges.length; index++) {
      const charge = charges[index] as Charge
      const { scope = '', key, limits, cost } = charge
      const row = buckets.find(scope, key)
      this.#rows[index] = row
      this.#aheadMs[index] = row === NO_ROW ? 0 : buckets.aheadMs(row, now)
      buckets.read(row, limits, now, owed, totals, bucket)
      for (let i = 0; i < limits.length; i++, bucket++) {
        const limit = limits[i] as Limit
        if (before.length > 0) {
          const tokens = tokensTaken(before, charge, limit)
          owed[bucket] = givenBack(owed[bucket] as number, limit, tokens)
          totals[bucket] = givenBack(totals[bucket] as number, limit, tokens)
        }
        if (!fits(owed[bucket] as number, limit, costFor(limit, cost))) allowed = false
      }
    }
    return allowed
  }

  /** Takes from every bucket if allowed. Returns the status of each. */
  #takeAll(charges: readonly Charge[], allowed: boolean): LimitStatus[] {
    const owed = this.#owed
    const totals = this.#totals
    const statuses = listOf<LimitStatus>()
    for (let index = 0, bucket = 0; index < charges.length; index++) {
      const { scope = '', key, limits, cost } = charges[index] as Charge
      const aheadMs = this.#aheadMs[index] as number
      for (let i = 0; i < limits.length; i++, bucket++) {
        const limit = limits[i] as Limit
        const tokens = costFor(limit, cost)
        const refused = !allowed && !fits(owed[bucket] as number, limit, tokens)
        if (allowed) {
          owed[bucket] = owedAfterTake(owed[bucket] as number, limit, tokens)
          totals[bucket] = owedAfterTake(totals[bucket] as number, limit, tokens)
        }
        statuses.push(statusOf(limit, key, scope, tokens, refused, owed[bucket] as number, aheadMs))
      }
    }
    return statuses
  }

  /** Writes what every bucket owes: first to rows that exist, since making a row may drop another. */
  #write(buckets: BucketRows, charges: readonly Charge[], now: number): void {
    let missing = false
    for (let index = 0, first = 0; index < charges.length; index++) {
      const { limits } = charges[index] as Charge
      const row = this.#rows[index] as number
      if (row === NO_ROW) missing = true
      else buckets.write(row, limits, now, this.#aheadMs[index] as number, this.#owed, this.#totals, first)
      first += limits.length
    }
    if (missing) this.#writeMissing(buckets, charges, now)
  }

  #owesAnything(first: number, next: number): boolean {
    for (let bucket = first; bucket < next; bucket++) if ((this.#owed[bucket] as number) > 0) return true
    return false
  }

  /** Makes the missing rows whose buckets owe something: junk keys and refusals make none. */
  #writeMissing(buckets: BucketRows, charges: readonly Charge[], now: number): void {
    for (let index = 0, first = 0; index < charges.length; index++) {
      const { scope = '', key, limits } = charges[index] as Charge
      const next = first + limits.length
      if (this.#rows[index] === NO_ROW && this.#owesAnything(first, next)) {
        // Another charge of this take may have made it.
        const made = charges.length === 1 ? NO_ROW : buckets.find(scope, key)
        const row = made === NO_ROW ? buckets.insert(scope, key, limits, now) : made
        buckets.write(row, limits, now, 0, this.#owed, this.#totals, first)
      }
      first = next
    }
  }
}

const NO_CHARGES: readonly Charge[] = Object.freeze([])
const isNumberOfKeys = (value: number): boolean => Number.isInteger(value) && value >= 1 && value <= MOST_ROWS
