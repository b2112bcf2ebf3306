import { carriedOver, drained, elapsedMs, givenBack, owedAfterTake } from '../bucket/bucket.js'
import { type Limit, sameBucket, sameLimits } from '../limit/limit.js'
import { aheadOf } from './blocks.js'
import type { Dropped } from './dropped.js'
import { createKeptKeys } from './kept-key.js'
import { NO_ROW } from './key-row.js'
import { KeyTable } from './key-table.js'
import { type Layout, Layouts } from './row-layouts.js'

/**
 * The buckets of at most `maxKeys` keys, a row for each key in a scope. All buckets of a row share one `at`, the moment
 * they were last drained to. A row whose buckets are all full is the same as no row, whatever its `at`.
 */
export class BucketRows {
  readonly #maxKeys: number
  readonly #layouts: Layouts
  readonly #table: KeyTable
  readonly #dropped: Dropped
  readonly #kept = createKeptKeys()

  constructor(maxKeys: number, dropped: Dropped) {
    this.#maxKeys = maxKeys
    this.#dropped = dropped
    this.#layouts = new Layouts(maxKeys)
    this.#table = new KeyTable(maxKeys, this.#layouts.scopes)
  }

  get size(): number {
    return this.#table.size
  }

  /** The row of a key, or NO_ROW. */
  find(scope: string, key: string): number {
    return this.#table.find(scope, this.#kept(key))
  }

  /** The layout of a row: which buckets it has, and the blocks of all rows like it. */
  layoutOf(row: number): Layout {
    return this.#layouts.at(this.#table.layoutOf(row))
  }

  /** The place of a row's numbers in its layout's `state`: what its buckets owe, and just before them its `at`. */
  firstOf(row: number): number {
    return this.layoutOf(row).blocks.firstOf(this.#table.blockOf(row))
  }

  /** The number of a row's block among those of its layout. */
  blockOf(row: number): number {
    return this.#table.blockOf(row)
  }

  /** Makes a row's key the most recent. */
  touch(row: number): void {
    this.#table.touch(row)
  }

  /** How far the clock has stepped back behind a row, in milliseconds: see {@link aheadOf}. */
  aheadMs(row: number, now: number): number {
    const { blocks, numbers } = this.layoutOf(row)
    return aheadOf(blocks.state, this.firstOf(row), numbers, now)
  }

  /**
   * What each bucket of `limits` owes `now`, written to `owed` and `totals` from `place` on: drained, and carried over where
   * the limit has changed since. Changes nothing. NO_ROW owes nothing.
   */
  read(row: number, limits: readonly Limit[], now: number, owed: number[], totals: number[], place: number): void {
    for (let index = 0; index < limits.length; index++) owed[place + index] = totals[place + index] = 0
    if (row === NO_ROW) return
    const { limits: kept, blocks, hasTotals } = this.layoutOf(row)
    const { state } = blocks
    const first = this.firstOf(row)
    const elapsed = elapsedMs(state[first - 1] as number, now)
    const same = sameLimits(kept, limits)
    for (let index = 0; index < limits.length; index++) {
      const limit = limits[index] as Limit
      const slot = same ? index : slotOf(kept, limit)
      if (slot === NO_SLOT) continue
      const before = kept[slot] as Limit
      let owes = drained(state[first + slot] as number, elapsed, before)
      let total = hasTotals ? drained(state[first + kept.length + slot] as number, elapsed, before) : owes
      if (!same && !sameBucket(before, limit)) {
        // A full bucket stays full under any limit.
        ;({ owed: owes, total } = carriedOver(owes, total, before, limit))
      }
      owed[place + index] = owes
      totals[place + index] = total
    }
  }

  /**
   * Brings a row to `now`, `aheadMs` behind its clock, and writes what each bucket of `limits` owes. Makes its key the most
   * recent.
   */
  write(
    row: number,
    limits: readonly Limit[],
    now: number,
    aheadMs: number,
    owed: readonly number[],
    totals: readonly number[],
    place: number,
  ): void {
    this.#table.touch(row)
    this.#drain(row, now, aheadMs)
    let { hasTotals } = this.layoutOf(row)
    for (let index = place; index < place + limits.length; index++) if (totals[index] !== owed[index]) hasTotals = true
    this.#refit(row, limits, hasTotals)
    const { limits: kept, blocks } = this.layoutOf(row)
    const first = this.firstOf(row)
    const same = sameLimits(kept, limits)
    for (let index = 0; index < limits.length; index++) {
      const slot = same ? index : slotOf(kept, limits[index] as Limit)
      blocks.state[first + slot] = owed[place + index] as number
      if (hasTotals) blocks.state[first + kept.length + slot] = totals[place + index] as number
    }
    if (hasTotals) this.#dropTotals(row)
  }

  /** Gives a new key a row of full buckets, as the most recent. Drops other keys while there is no room. */
  insert(scope: string, key: string, limits: readonly Limit[], now: number): number {
    const kept = this.#kept(key)
    const table = this.#table
    const layouts = this.#layouts
    const characters = this.#maxKeys * KEY_CHARACTERS - kept.length - scope.length
    while (table.size >= this.#maxKeys || (table.size > 0 && table.characters + layouts.characters > characters)) {
      this.#remove(this.#victim(now))
    }
    this.#dropped.reportIfDue(now)
    const layout = layouts.acquire(scope, limits)
    return table.insert(kept, layout.id, layout.blocks.acquire(now))
  }

  /**
   * Takes tokens from the buckets of `limits` or, below 0, gives them back, each under the definition that it has now. A
   * missing bucket is made where it then owes something. Does not make the key recent.
   */
  move(scope: string, key: string, limits: readonly Limit[], tokens: number, now: number): void {
    let row = this.find(scope, key)
    if (row === NO_ROW && tokens <= 0) return
    if (row === NO_ROW) row = this.insert(scope, key, limits, now)
    this.#drain(row, now)
    const { hasTotals } = this.layoutOf(row)
    if (tokens > 0) {
      this.#refit(
        row,
        limits.map((limit) => this.#owedUnder(row, limit) ?? limit),
        hasTotals,
      )
    }
    const { limits: kept, blocks } = this.layoutOf(row)
    const first = this.firstOf(row)
    for (const limit of limits) {
      const slot = slotOf(kept, limit)
      if (slot === NO_SLOT) continue
      const at = kept[slot] as Limit
      for (let place = first + slot; place < first + this.layoutOf(row).numbers; place += kept.length) {
        const owed = blocks.state[place] as number
        blocks.state[place] = tokens > 0 ? owedAfterTake(owed, at, tokens) : givenBack(owed, at, -tokens)
      }
    }
    if (hasTotals) this.#dropTotals(row)
  }

  /** Forgets a key: its buckets are full. */
  remove(scope: string, key: string): void {
    const row = this.find(scope, key)
    if (row !== NO_ROW) this.#remove(row)
  }

  /** The definition of a row's bucket of this limit's name, if it owes anything: a full bucket is the same as a missing one. */
  #owedUnder(row: number, limit: Limit): Limit | undefined {
    const { limits } = this.layoutOf(row)
    const slot = slotOf(limits, limit)
    return slot === NO_SLOT || this.#totalAt(row, slot) === 0 ? undefined : limits[slot]
  }

  /** A bucket's total: see {@link Carried}. */
  #totalAt(row: number, slot: number): number {
    const { limits, blocks, hasTotals } = this.layoutOf(row)
    return blocks.state[this.firstOf(row) + slot + (hasTotals ? limits.length : 0)] as number
  }

  #drain(row: number, now: number, aheadMs = this.aheadMs(row, now)): void {
    const { limits, numbers, blocks } = this.layoutOf(row)
    const { state } = blocks
    const first = this.firstOf(row)
    const elapsed = elapsedMs(state[first - 1] as number, now)
    state[first - 1] = now + aheadMs
    for (let index = 0; index < numbers; index++) {
      state[first + index] = drained(state[first + index] as number, elapsed, limits[index % limits.length] as Limit)
    }
  }

  /**
   * Makes sure that a row, drained to now, has buckets for these limits under these definitions, with totals if they are
   * needed. Keeps other buckets that owe. The caller writes the numbers of buckets under another definition.
   */
  #refit(row: number, limits: readonly Limit[], hasTotals: boolean): void {
    const before = this.layoutOf(row)
    const kept = before.limits
    const has = (limit: Limit): boolean => kept.some((other) => other.name === limit.name && sameBucket(other, limit))
    if (before.hasTotals === hasTotals && (kept === limits || limits.every(has))) return
    const others = kept.filter((limit, slot) => slotOf(limits, limit) === NO_SLOT && this.#totalAt(row, slot) !== 0)
    if (others.length > MOST_OTHERS) {
      const fullAfterMs = (limit: Limit): number => this.#totalAt(row, kept.indexOf(limit)) / limit.flow
      others.sort((a, b) => fullAfterMs(b) - fullAfterMs(a)).length = MOST_OTHERS
    }
    this.#move(row, others.length === 0 ? limits : [...limits, ...others], hasTotals)
  }

  /** Drops the totals of a row where they equal what its buckets owe. */
  #dropTotals(row: number): void {
    const { limits, blocks } = this.layoutOf(row)
    const first = this.firstOf(row)
    if (limits.every((_, slot) => blocks.state[first + slot] === this.#totalAt(row, slot)))
      this.#move(row, limits, false)
  }

  /** Gives a row another layout. The buckets that both have keep their numbers. */
  #move(row: number, limits: readonly Limit[], hasTotals: boolean): void {
    const before = this.layoutOf(row)
    const from = this.firstOf(row)
    const at = before.blocks.state[from - 1] as number
    const owed = before.limits.map((_, slot) => before.blocks.state[from + slot] as number)
    const totals = before.limits.map((_, slot) => this.#totalAt(row, slot))
    const after = this.#layouts.acquire(before.scope, limits, hasTotals)
    this.#release(row)
    this.#table.move(row, after.id, after.blocks.acquire(at))
    const first = this.firstOf(row)
    after.limits.forEach((limit, index) => {
      const slot = slotOf(before.limits, limit)
      if (slot === NO_SLOT) return
      after.blocks.state[first + index] = owed[slot] as number
      if (hasTotals) after.blocks.state[first + after.limits.length + index] = totals[slot] as number
    })
  }

  #remove(row: number): void {
    this.#release(row)
    this.#table.remove(row)
  }

  #release(row: number): void {
    const layout = this.layoutOf(row)
    layout.blocks.release(this.#table.blockOf(row))
    this.#layouts.release(layout)
  }

  /** The first of the least recently used rows whose buckets are all full, else the least recently used. */
  #victim(now: number): number {
    const oldest = this.#table.oldest()
    let row = oldest
    for (let tried = 0; tried < VICTIMS && row !== NO_ROW; tried++) {
      if (this.#isFull(row, now)) return row
      row = this.#table.newerThan(row)
    }
    const at = this.layoutOf(oldest).blocks.state[this.firstOf(oldest) - 1] as number
    this.#dropped.add(elapsedMs(at, now), now)
    return oldest
  }

  #isFull(row: number, now: number): boolean {
    const { limits, numbers, blocks } = this.layoutOf(row)
    const { state } = blocks
    const first = this.firstOf(row)
    const elapsed = elapsedMs(state[first - 1] as number, now)
    // The last numbers of a block are what its buckets owe in all.
    const totals = first + numbers - limits.length
    for (let slot = 0; slot < limits.length; slot++) {
      if (drained(state[totals + slot] as number, elapsed, limits[slot] as Limit) > 0) return false
    }
    return true
  }
}

/** How many of the least recently used keys are searched for one whose buckets are all full. */
const VICTIMS = 8
/** The most buckets that a key keeps beside those of its latest request. Names made of a request would make any number. */
const MOST_OTHERS = 255
/** The budget of characters for each key and its scope. Where the sum passes it, keys are dropped as in a full table. */
const KEY_CHARACTERS = 64

/** No bucket. */
const NO_SLOT = -1

/** The place of the bucket of this limit's name, or NO_SLOT. */
function slotOf(limits: readonly Limit[], limit: Limit): number {
  for (let slot = 0; slot < limits.length; slot++) if ((limits[slot] as Limit).name === limit.name) return slot
  return NO_SLOT
}
