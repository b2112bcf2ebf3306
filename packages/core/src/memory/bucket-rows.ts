import { carriedOver, drained, elapsedMs, givenBack, taken } from '../bucket/bucket.js'
import { type Limit, sameBucket, sameLimits } from '../limit/limit.js'
import { aheadOf } from './blocks.js'
import { NONE } from './key-row.js'
import { KeyTable } from './key-table.js'
import { type Layout, Layouts } from './row-layouts.js'

/**
 * The buckets of at most `maxKeys` keys, a row for each key in a scope. All buckets of a row share one `at`, the moment
 * they were last drained to. A row whose buckets are all full is as good as none, whatever its `at`.
 */
export class BucketRows {
  readonly #maxKeys: number
  readonly #layouts: Layouts
  readonly #table: KeyTable

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys
    this.#layouts = new Layouts(maxKeys)
    this.#table = new KeyTable(maxKeys, this.#layouts.scopes)
  }

  get size(): number {
    return this.#table.size
  }

  /** The row of a key, or NONE. */
  find(scope: string, key: string): number {
    return this.#table.find(scope, key)
  }

  /** Which buckets a row has, and where the numbers of all rows like it are. */
  layoutOf(row: number): Layout {
    return this.#layouts.at(this.#table.layoutOf(row))
  }

  /** Where a row's numbers are in its layout's `state`: what its buckets owe, and just before them its `at`. */
  firstOf(row: number): number {
    return this.layoutOf(row).blocks.firstOf(this.#table.blockOf(row))
  }

  /** Which of its layout's blocks a row has. */
  blockOf(row: number): number {
    return this.#table.blockOf(row)
  }

  /** Makes a row's key the most recent. */
  touch(row: number): void {
    this.#table.touch(row)
  }

  /** How far the clock has stepped back behind a row, in milliseconds: see {@link aheadOf}. */
  aheadMs(row: number, now: number): number {
    const { blocks, limits } = this.layoutOf(row)
    return aheadOf(blocks.state, this.firstOf(row), limits.length, now)
  }

  /**
   * What each bucket of `limits` owes `now`, written to `owed` from `place` on: drained, and carried over where the limit
   * has changed since, which `changed` is told by its place in `owed`. Changes nothing. A row that is NONE owes nothing.
   */
  read(row: number, limits: readonly Limit[], now: number, owed: number[], place: number, changed: number[]): void {
    if (row === NONE) {
      for (let index = 0; index < limits.length; index++) owed[place + index] = 0
      return
    }
    const kept = this.layoutOf(row).limits
    const { state } = this.layoutOf(row).blocks
    const first = this.firstOf(row)
    const elapsed = elapsedMs(state[first - 1] as number, now)
    const same = sameLimits(kept, limits)
    for (let index = 0; index < limits.length; index++) {
      const limit = limits[index] as Limit
      const slot = same ? index : slotOf(kept, limit)
      if (slot === NONE) {
        owed[place + index] = 0
        continue
      }
      const before = kept[slot] as Limit
      const owedNow = drained(state[first + slot] as number, elapsed, before)
      if (same || sameBucket(before, limit)) {
        owed[place + index] = owedNow
      } else {
        owed[place + index] = carriedOver(owedNow, before, limit)
        // A full bucket is as good as a missing one, of which nobody knows what its limit was.
        if (owedNow > 0) changed.push(place + index)
      }
    }
  }

  /** Brings a row to `now` and writes what each bucket of `limits` owes. Makes its key the most recent. */
  write(row: number, limits: readonly Limit[], now: number, owed: readonly number[], place: number): void {
    this.#table.touch(row)
    const at = now + this.aheadMs(row, now)
    if (!sameLimits(this.layoutOf(row).limits, limits)) {
      this.#drain(row, now)
      this.#refit(row, limits)
    }
    const kept = this.layoutOf(row).limits
    const same = sameLimits(kept, limits)
    const { state } = this.layoutOf(row).blocks
    const first = this.firstOf(row)
    state[first - 1] = at
    for (let index = 0; index < limits.length; index++) {
      const slot = same ? index : slotOf(kept, limits[index] as Limit)
      state[first + slot] = owed[place + index] as number
    }
  }

  /** Gives a key that has none a row of full buckets, as the most recent, and drops others while there is no room. */
  insert(scope: string, key: string, limits: readonly Limit[], now: number): number {
    const table = this.#table
    const layouts = this.#layouts
    const characters = this.#maxKeys * KEY_CHARACTERS - key.length - scope.length
    while (table.size >= this.#maxKeys || (table.size > 0 && table.characters + layouts.characters > characters)) {
      this.#remove(this.#victim(now))
    }
    const layout = layouts.acquire(scope, limits)
    return table.insert(key, layout.id, layout.blocks.acquire(now))
  }

  /**
   * Moves what the buckets of `limits` owe by so many tokens, more or fewer, each at the definition that it has now. A
   * bucket that is missing is made where it comes to owe something. Does not make the key recent.
   */
  move(scope: string, key: string, limits: readonly Limit[], tokens: number, now: number): void {
    let row = this.find(scope, key)
    if (row === NONE && tokens <= 0) return
    if (row === NONE) row = this.insert(scope, key, limits, now)
    this.#drain(row, now)
    if (tokens > 0) {
      this.#refit(
        row,
        limits.map((limit) => this.#owedUnder(row, limit) ?? limit),
      )
    }
    const kept = this.layoutOf(row).limits
    const { state } = this.layoutOf(row).blocks
    const first = this.firstOf(row)
    for (const limit of limits) {
      const slot = slotOf(kept, limit)
      if (slot === NONE) continue
      const owed = state[first + slot] as number
      const at = kept[slot] as Limit
      state[first + slot] = tokens > 0 ? taken(owed, at, tokens) : givenBack(owed, at, -tokens)
    }
  }

  /** Forgets a key: its buckets are full. */
  remove(scope: string, key: string): void {
    const row = this.find(scope, key)
    if (row !== NONE) this.#remove(row)
  }

  /** The definition under which a row keeps the bucket of this limit's name, if it owes anything: a full one is as good as none. */
  #owedUnder(row: number, limit: Limit): Limit | undefined {
    const { limits } = this.layoutOf(row)
    const slot = slotOf(limits, limit)
    return slot === NONE || this.layoutOf(row).blocks.state[this.firstOf(row) + slot] === 0 ? undefined : limits[slot]
  }

  #drain(row: number, now: number): void {
    const { limits } = this.layoutOf(row)
    const { state } = this.layoutOf(row).blocks
    const first = this.firstOf(row)
    const elapsed = elapsedMs(state[first - 1] as number, now)
    state[first - 1] = now + this.aheadMs(row, now)
    for (let slot = 0; slot < limits.length; slot++) {
      state[first + slot] = drained(state[first + slot] as number, elapsed, limits[slot] as Limit)
    }
  }

  /** Makes sure that a row, drained to now, has buckets for these limits under these definitions. Keeps others that owe. */
  #refit(row: number, limits: readonly Limit[]): void {
    const before = this.layoutOf(row)
    const kept = before.limits
    if (limits.every((limit) => kept.some((other) => other.name === limit.name && sameBucket(other, limit)))) return
    const { state } = this.layoutOf(row).blocks
    const first = this.firstOf(row)
    const at = state[first - 1] as number
    const owed = kept.map((_, slot) => state[first + slot] as number)
    const others = kept.filter((limit, slot) => slotOf(limits, limit) === NONE && owed[slot] !== 0)
    if (others.length > MOST_OTHERS) {
      const fullAfterMs = (limit: Limit): number => (owed[kept.indexOf(limit)] as number) / limit.flow
      others.sort((a, b) => fullAfterMs(b) - fullAfterMs(a)).length = MOST_OTHERS
    }
    const after = this.#layouts.acquire(before.scope, others.length === 0 ? limits : [...limits, ...others])
    this.#release(row)
    this.#table.move(row, after.id, after.blocks.acquire(at))
    for (let index = 0; index < after.limits.length; index++) {
      const limit = after.limits[index] as Limit
      const slot = slotOf(kept, limit)
      if (slot === NONE) continue
      this.layoutOf(row).blocks.state[this.firstOf(row) + index] = carriedOver(
        owed[slot] as number,
        kept[slot] as Limit,
        limit,
      )
    }
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
    for (let tried = 0; tried < VICTIMS && row !== NONE; tried++) {
      if (this.#isFull(row, now)) return row
      row = this.#table.newerThan(row)
    }
    return oldest
  }

  #isFull(row: number, now: number): boolean {
    const { limits } = this.layoutOf(row)
    const { state } = this.layoutOf(row).blocks
    const first = this.firstOf(row)
    const elapsed = elapsedMs(state[first - 1] as number, now)
    for (let slot = 0; slot < limits.length; slot++) {
      if (drained(state[first + slot] as number, elapsed, limits[slot] as Limit) > 0) return false
    }
    return true
  }
}

/** Of how many of the least recently used keys one that has lost nothing is looked for. */
const VICTIMS = 8
/** How many buckets a key keeps that its latest request has not asked: a name made of each request would make any number. */
const MOST_OTHERS = 255
/** Characters budgeted for each key, and for its scope: passing the sum drops keys as a full table does. */
const KEY_CHARACTERS = 64

/** Where the bucket of this limit's name is, or NONE. */
function slotOf(limits: readonly Limit[], limit: Limit): number {
  for (let slot = 0; slot < limits.length; slot++) if ((limits[slot] as Limit).name === limit.name) return slot
  return NONE
}
