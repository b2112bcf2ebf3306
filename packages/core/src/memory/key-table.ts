import { type HashSeed, hashOf, randomSeed, wordsOf } from './key-hash.js'
import {
  BLOCK,
  HASH,
  HOME_SHIFT,
  KEPT_WORDS,
  KEY,
  LAYOUT,
  MOST_NEAR,
  NEWER,
  NO_ROW,
  OLDER,
  ROW,
  USED,
} from './key-row.js'
import { isLong, LongKeys } from './long-keys.js'

/**
 * At most `rows` keys, each in a row, in the order of their last use. One fixed-size index has open addressing (linear
 * probing, backward-shift deletion). One array of numbers has all the rest of a row side by side, the key's characters
 * included. Neither grows or rehashes, so no request waits for that, and the garbage collector has no objects to visit.
 * docs/decisions/memory-store.md compares it with other designs.
 *
 * A key and its layout's scope identify a row. The owner of the table chooses a row's layout and block.
 */
export class KeyTable {
  /** How many rows are in use. */
  size = 0
  /** How many characters their keys have together. */
  characters = 0

  readonly #seed: HashSeed
  readonly #scopes: readonly string[]
  /**
   * An entry for each slot, 0 for an empty one. Others have a row, the lower bits of its home (the slot that its hash points
   * at), and as many upper bits of its hash as fit. So a search seldom compares the keys of other rows.
   */
  readonly #index: Int32Array
  readonly #slotMask: number
  readonly #rowMask: number
  /** The bits of a home that the index has. */
  readonly #homeMask: number
  /** Whether a key has ever been so far from its home that those bits are too few. */
  #far = false
  readonly #rows: Int32Array
  readonly #long: LongKeys = new LongKeys()
  // Of the key that was hashed last: its hash, its form and words, and how many of these a row keeps.
  #hash = 0
  #kept = 0
  readonly #words = new Int32Array(KEPT_WORDS)
  // The same key, if it was not found: most often it is the next to be inserted.
  #missed = ''
  #missedScope = ''
  // The most recent row that was found twice in succession, and its key.
  #hot = NO_ROW
  #hotKey = ''
  #hotScope = ''
  readonly #scopeWords = new Int32Array(1)
  #newest = NO_ROW
  #oldest = NO_ROW
  #unused = 0
  #freed = NO_ROW

  /** `scopes[layout]` is the scope of a layout; the owner keeps it current. */
  constructor(rows: number, scopes: readonly string[], seed: HashSeed = randomSeed()) {
    const slots = 2 ** Math.ceil(Math.log2(rows * SLOTS_PER_ROW + 1))
    this.#seed = seed
    this.#scopes = scopes
    this.#index = new Int32Array(slots)
    this.#slotMask = slots - 1
    this.#rowMask = 2 ** Math.ceil(Math.log2(rows)) - 1
    this.#homeMask = Math.min(slots - 1, MOST_NEAR)
    this.#rows = new Int32Array(rows * ROW)
  }

  /** The row of a key, or NO_ROW. */
  find(scope: string, key: string): number {
    const hot = this.#hot
    // In a flood one customer sends most requests: a key that equals the last one need not be hashed.
    if (hot === this.#newest && key === this.#hotKey && scope === this.#hotScope) return hot
    const hash = this.#hashOf(scope, key)
    const index = this.#index
    const rowMask = this.#rowMask
    const signature = this.#entryOf(0, hash)
    for (let slot = hash & this.#slotMask; ; slot = this.#after(slot)) {
      const entry = index[slot] as number
      if (entry === 0) return this.#miss(scope, key)
      const row = entry & rowMask
      if ((entry & ~rowMask) !== signature || !this.#isRow(row, scope, key)) continue
      if (row === this.#newest) this.#heat(row, scope, key)
      return row
    }
  }

  layoutOf(row: number): number {
    return this.#rows[row * ROW + LAYOUT] as number
  }

  blockOf(row: number): number {
    return this.#rows[row * ROW + BLOCK] as number
  }

  /** Gives a row another layout, of the same scope, and another block. */
  move(row: number, layout: number, block: number): void {
    this.#rows[row * ROW + LAYOUT] = layout
    this.#rows[row * ROW + BLOCK] = block
  }

  /** The least recently used row, or NO_ROW. */
  oldest(): number {
    return this.#oldest
  }

  /** The row used next after this one, or NO_ROW. */
  newerThan(row: number): number {
    return this.#rows[row * ROW + NEWER] as number
  }

  /** Gives a key that is not in the table a row, as the most recent. There must be room. */
  insert(key: string, layout: number, block: number): number {
    const scope = this.#scopes[layout] as string
    // Most keys that are inserted have just been searched.
    const hash = key === this.#missed && scope === this.#missedScope ? this.#hash : this.#hashOf(scope, key)
    const row = this.#takeRow()
    const rows = this.#rows
    const words = this.#words
    rows[row * ROW + HASH] = hash
    for (let place = 0; place < KEPT_WORDS; place++) rows[row * ROW + KEY + place] = words[place] as number
    if (isLong(words[0] as number)) this.#long.set(row, key)
    this.move(row, layout, block)
    let slot = hash & this.#slotMask
    for (let steps = 0; this.#index[slot] !== 0; slot = this.#after(slot))
      if (++steps > this.#homeMask) this.#far = true
    this.#index[slot] = this.#entryOf(row, hash)
    this.#link(row)
    this.size++
    this.characters += key.length
    return row
  }

  /** Makes a row the most recent. */
  touch(row: number): void {
    if (row === this.#newest) return
    this.#unlink(row)
    this.#link(row)
  }

  remove(row: number): void {
    const index = this.#index
    let hole = (this.#rows[row * ROW + HASH] as number) & this.#slotMask
    while (((index[hole] as number) & this.#rowMask) !== row) hole = this.#after(hole)
    for (let slot = this.#after(hole); index[slot] !== 0; slot = this.#after(slot)) {
      // An entry may fill the hole if its home is not between the hole and its slot (all cyclic).
      if (this.#fromHome(slot) < ((slot - hole) & this.#slotMask)) continue
      index[hole] = index[slot] as number
      hole = slot
    }
    index[hole] = 0
    this.#unlink(row)
    if (row === this.#hot) this.#heat(NO_ROW, '', '')
    const form = this.#rows[row * ROW + KEY] as number
    if (isLong(form)) this.#long.set(row, '')
    this.size--
    this.characters -= form >>> 1
    this.#rows[row * ROW + NEWER] = this.#freed
    this.#freed = row
  }

  /** The hash of a key in a scope. Leaves the key's words in `#words`. */
  #hashOf(scope: string, key: string): number {
    const words = this.#words
    const hash = hashOf(key, this.#seed, words)
    this.#kept = Math.min(wordsOf(words[0] as number), KEPT_WORDS)
    // To keep a string costs more than to forget one, so only keys that are not found are kept.
    this.#missed = ''
    this.#hash = scope === '' ? hash : Math.imul(hash ^ hashOf(scope, this.#seed, this.#scopeWords), 0x9e3779b1)
    return this.#hash
  }

  #miss(scope: string, key: string): number {
    this.#missed = key
    this.#missedScope = scope
    return NO_ROW
  }

  #heat(row: number, scope: string, key: string): void {
    this.#hot = row
    this.#hotScope = scope
    this.#hotKey = key
  }

  /** Whether a row has this key, which must be the last that was hashed. */
  #isRow(row: number, scope: string, key: string): boolean {
    const words = this.#words
    const rows = this.#rows
    const kept = this.#kept
    const first = row * ROW + KEY
    for (let place = 0; place < kept; place++) if (rows[first + place] !== words[place]) return false
    if (kept === KEPT_WORDS && isLong(words[0] as number) && this.#long.at(row) !== key) return false
    return this.#scopes[this.layoutOf(row)] === scope
  }

  #takeRow(): number {
    const freed = this.#freed
    if (freed === NO_ROW) return this.#unused++
    this.#freed = this.newerThan(freed)
    return freed
  }

  /** The index entry of a row whose key has this hash. */
  #entryOf(row: number, hash: number): number {
    return USED | ((hash & this.#homeMask) << HOME_SHIFT) | ((hash >>> 8) & ~this.#rowMask) | row
  }

  /** How many slots an entry is away from its home. */
  #fromHome(slot: number): number {
    const entry = this.#index[slot] as number
    if (this.#far) return (slot - (this.#rows[(entry & this.#rowMask) * ROW + HASH] as number)) & this.#slotMask
    return (slot - (entry >>> HOME_SHIFT)) & this.#homeMask
  }

  #after(slot: number): number {
    return (slot + 1) & this.#slotMask
  }

  #link(row: number): void {
    const rows = this.#rows
    const older = this.#newest
    rows[row * ROW + NEWER] = NO_ROW
    rows[row * ROW + OLDER] = older
    if (older === NO_ROW) this.#oldest = row
    else rows[older * ROW + NEWER] = row
    this.#newest = row
  }

  #unlink(row: number): void {
    const rows = this.#rows
    const newer = rows[row * ROW + NEWER] as number
    const older = rows[row * ROW + OLDER] as number
    if (newer === NO_ROW) this.#newest = older
    else rows[newer * ROW + OLDER] = older
    if (older === NO_ROW) this.#oldest = newer
    else rows[older * ROW + NEWER] = newer
  }
}

/** Slots for each row, before they are rounded up to a power of two: 5 to 11 bytes a key, and under three steps to find one. */
const SLOTS_PER_ROW = 4 / 3
