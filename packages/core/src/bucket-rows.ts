import { carriedOver, drained, givenBack, MOST_AHEAD_MS, taken } from './bucket.js'
import { KeyTable, NONE } from './key-table.js'
import { type Layout, Layouts } from './layouts.js'
import { type Limit, sameBucket } from './limit.js'

/**
 * The buckets of at most `maxKeys` keys, a row for each key in a scope. All buckets of a row share one `at`, the moment
 * they were last drained to. A row whose buckets are all full is as good as none, whatever its `at`.
 */
export class BucketRows {
  readonly #maxKeys: number
  readonly #layouts = new Layouts()
  readonly #table: KeyTable
  /** The block of each row. */
  readonly #blocks: Int32Array

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys
    this.#table = new KeyTable(maxKeys, this.#layouts.scopes)
    this.#blocks = new Int32Array(maxKeys)
  }

  state: Float64Array = ZEROS
  first = 1
  elapsedMs = 0
  aheadMs_ = 0

  touch(row: number): void {
    this.#table.touch(row)
  }

  open(row: number, limits: readonly Limit[], now: number): boolean {
    if (row === NONE) {
      this.state = ZEROS
      this.first = 1
      this.elapsedMs = 0
      this.aheadMs_ = 0
      return limits.length < ZEROS.length
    }
    const layout = this.#layoutOf(row)
    if (!sameLimits(layout.limits, limits)) return false
    const block = this.#blocks[row] as number
    const chunk = layout.blocks.chunkOf(block)
    const offset = layout.blocks.offsetOf(block)
    this.state = chunk
    this.first = offset + 1
    const at = chunk[offset] as number
    if (now >= at) {
      this.elapsedMs = now - at
      this.aheadMs_ = 0
    } else {
      this.elapsedMs = 0
      this.aheadMs_ = this.aheadMs(row, now)
    }
    return true
  }

  get size(): number {
    return this.#table.size
  }

  /** The hash that {@link find} and {@link insert} take, so that it is made once. */
  hash(scope: string, key: string): number {
    return this.#table.hash(scope, key)
  }

  /** The row of a key, or NONE. */
  find(scope: string, key: string, hash: number): number {
    return this.#table.find(scope, key, hash)
  }

  /** How far the clock has stepped back behind a row, in milliseconds: until it catches up, nothing drains. */
  aheadMs(row: number, now: number): number {
    const { blocks, limits } = this.#layoutOf(row)
    const block = this.#blocks[row] as number
    const chunk = blocks.chunkOf(block)
    const offset = blocks.offsetOf(block)
    const ahead = (chunk[offset] as number) - now
    if (ahead <= 0 || ahead > MOST_AHEAD_MS) return 0
    for (let slot = 1; slot <= limits.length; slot++) if (chunk[offset + slot] !== 0) return ahead
    return 0
  }

  /**
   * What each bucket of `limits` owes `now`, written to `owed` from `first` on: drained, and carried over where the limit
   * has changed since, which `changed` is told by its place in `owed`. Changes nothing. A row that is NONE owes nothing.
   */
  read(row: number, limits: readonly Limit[], now: number, owed: number[], first: number, changed: number[]): void {
    if (row === NONE) {
      for (let index = 0; index < limits.length; index++) owed[first + index] = 0
      return
    }
    const { blocks, limits: kept } = this.#layoutOf(row)
    const chunk = blocks.chunkOf(this.#blocks[row] as number)
    const offset = blocks.offsetOf(this.#blocks[row] as number)
    const elapsed = elapsedMs(chunk[offset] as number, now)
    const same = sameLimits(kept, limits)
    for (let index = 0; index < limits.length; index++) {
      const limit = limits[index] as Limit
      const slot = same ? index : slotOf(kept, limit)
      if (slot === NONE) {
        owed[first + index] = 0
        continue
      }
      const before = kept[slot] as Limit
      const drainedOwed = drained(chunk[offset + 1 + slot] as number, elapsed, before)
      if (same || sameBucket(before, limit)) {
        owed[first + index] = drainedOwed
      } else {
        owed[first + index] = carriedOver(drainedOwed, before, limit)
        // A full bucket is as good as a missing one, of which nobody knows what its limit was.
        if (drainedOwed > 0) changed.push(first + index)
      }
    }
  }

  /** Brings a row to `now` and writes what each bucket of `limits` owes. Makes its key the most recent. */
  write(row: number, limits: readonly Limit[], now: number, owed: readonly number[], first: number): void {
    this.#table.touch(row)
    const ahead = this.aheadMs(row, now)
    let layout = this.#layoutOf(row)
    if (!sameLimits(layout.limits, limits)) {
      this.#drain(row, now)
      this.#refit(row, limits)
      layout = this.#layoutOf(row)
    }
    const block = this.#blocks[row] as number
    const chunk = layout.blocks.chunkOf(block)
    const offset = layout.blocks.offsetOf(block)
    chunk[offset] = now + ahead
    if (sameLimits(layout.limits, limits)) {
      for (let index = 0; index < limits.length; index++) chunk[offset + 1 + index] = owed[first + index] as number
      return
    }
    for (let index = 0; index < limits.length; index++) {
      chunk[offset + 1 + slotOf(layout.limits, limits[index] as Limit)] = owed[first + index] as number
    }
  }

  /** Gives a key that has none a row of full buckets, as the most recent, and drops others while there is no room. */
  insert(scope: string, key: string, hash: number, limits: readonly Limit[], now: number): number {
    const table = this.#table
    while (
      table.size >= this.#maxKeys ||
      (table.size > 0 && table.characters + key.length > this.#maxKeys * KEY_CHARACTERS)
    ) {
      this.#remove(this.#victim(now))
    }
    const layout = this.#layouts.acquire(scope, limits)
    const block = layout.blocks.acquire()
    const offset = layout.blocks.offsetOf(block)
    layout.blocks.chunkOf(block).fill(0, offset, offset + layout.blocks.stride)
    layout.blocks.chunkOf(block)[offset] = now
    const row = table.insert(key, hash)
    table.layout[row] = layout.id
    this.#blocks[row] = block
    return row
  }

  /**
   * Moves what the buckets of `limits` owe by so many tokens, more or fewer, each at the definition that it has now. A
   * bucket that is missing is made where it comes to owe something. Does not make the key recent.
   */
  move(scope: string, key: string, limits: readonly Limit[], tokens: number, now: number): void {
    const hash = this.hash(scope, key)
    let row = this.find(scope, key, hash)
    if (row === NONE && tokens < 0) return
    if (row === NONE) row = this.insert(scope, key, hash, limits, now)
    this.#drain(row, now)
    if (tokens > 0)
      this.#refit(
        row,
        limits.map((limit) => this.#keptOf(row, limit) ?? limit),
      )
    const { blocks, limits: kept } = this.#layoutOf(row)
    const chunk = blocks.chunkOf(this.#blocks[row] as number)
    const offset = blocks.offsetOf(this.#blocks[row] as number) + 1
    for (const limit of limits) {
      const slot = slotOf(kept, limit)
      if (slot === NONE) continue
      const owed = chunk[offset + slot] as number
      const at = kept[slot] as Limit
      chunk[offset + slot] = tokens > 0 ? taken(owed, at, tokens) : givenBack(owed, at, -tokens)
    }
  }

  /** Forgets a key: its buckets are full. */
  remove(scope: string, key: string): void {
    const row = this.find(scope, key, this.hash(scope, key))
    if (row !== NONE) this.#remove(row)
  }

  #layoutOf(row: number): Layout {
    return this.#layouts.at(this.#table.layout[row] as number)
  }

  /** The definition under which a row keeps the bucket of this limit's name, if it owes anything: a full one is as good as none. */
  #keptOf(row: number, limit: Limit): Limit | undefined {
    const { blocks, limits } = this.#layoutOf(row)
    const slot = slotOf(limits, limit)
    const block = this.#blocks[row] as number
    return slot === NONE || blocks.chunkOf(block)[blocks.offsetOf(block) + 1 + slot] === 0 ? undefined : limits[slot]
  }

  #drain(row: number, now: number): void {
    const { blocks, limits } = this.#layoutOf(row)
    const chunk = blocks.chunkOf(this.#blocks[row] as number)
    const offset = blocks.offsetOf(this.#blocks[row] as number)
    const elapsed = elapsedMs(chunk[offset] as number, now)
    chunk[offset] = now + this.aheadMs(row, now)
    for (let slot = 0; slot < limits.length; slot++) {
      chunk[offset + 1 + slot] = drained(chunk[offset + 1 + slot] as number, elapsed, limits[slot] as Limit)
    }
  }

  /** Makes sure that a row, drained to now, has buckets for these limits under these definitions. Keeps others that owe. */
  #refit(row: number, limits: readonly Limit[]): void {
    const before = this.#layoutOf(row)
    const kept = before.limits
    if (limits.every((limit) => kept.some((other) => other.name === limit.name && sameBucket(other, limit)))) return
    const oldBlock = this.#blocks[row] as number
    const oldChunk = before.blocks.chunkOf(oldBlock)
    const oldOffset = before.blocks.offsetOf(oldBlock)
    const others = kept.filter((limit, slot) => slotOf(limits, limit) === NONE && oldChunk[oldOffset + 1 + slot] !== 0)
    const all = others.length === 0 ? limits : [...limits, ...others]
    const after = this.#layouts.acquire(before.scope, all)
    const block = after.blocks.acquire()
    const chunk = after.blocks.chunkOf(block)
    const offset = after.blocks.offsetOf(block)
    chunk[offset] = oldChunk[oldOffset] as number
    for (let index = 0; index < all.length; index++) {
      const limit = all[index] as Limit
      const slot = slotOf(kept, limit)
      const owed = slot === NONE ? 0 : (oldChunk[oldOffset + 1 + slot] as number)
      chunk[offset + 1 + index] = slot === NONE ? 0 : carriedOver(owed, kept[slot] as Limit, limit)
    }
    before.blocks.release(oldBlock)
    this.#layouts.release(before)
    this.#table.layout[row] = after.id
    this.#blocks[row] = block
  }

  #remove(row: number): void {
    const layout = this.#layoutOf(row)
    layout.blocks.release(this.#blocks[row] as number)
    this.#layouts.release(layout)
    this.#table.remove(row)
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
    const { blocks, limits } = this.#layoutOf(row)
    const chunk = blocks.chunkOf(this.#blocks[row] as number)
    const offset = blocks.offsetOf(this.#blocks[row] as number)
    const elapsed = elapsedMs(chunk[offset] as number, now)
    for (let slot = 0; slot < limits.length; slot++) {
      if (drained(chunk[offset + 1 + slot] as number, elapsed, limits[slot] as Limit) > 0) return false
    }
    return true
  }
}

const ZEROS = new Float64Array(64)

/** Of how many of the least recently used keys one that has lost nothing is looked for. */
const VICTIMS = 8
/** Characters budgeted for each key: passing the sum drops keys as a full table does. */
const KEY_CHARACTERS = 64

/** How long a row has drained. A step back mints nothing. */
function elapsedMs(at: number, now: number): number {
  return now > at ? now - at : 0
}

/** Where the bucket of this limit's name is, or NONE. */
function slotOf(limits: readonly Limit[], limit: Limit): number {
  for (let slot = 0; slot < limits.length; slot++) if ((limits[slot] as Limit).name === limit.name) return slot
  return NONE
}

/** Whether both are the same buckets in the same order. */
function sameLimits(a: readonly Limit[], b: readonly Limit[]): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) {
    const [one, other] = [a[index] as Limit, b[index] as Limit]
    if (one !== other && (one.name !== other.name || !sameBucket(one, other))) return false
  }
  return true
}
