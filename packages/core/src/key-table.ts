import { type HashSeed, hashOf, randomSeed, wordsOf } from './key-hash.js'
import { BLOCK, HASH, KEPT_WORDS, KEY, LAYOUT, NEWER, NONE, OLDER, ROW, ROW_MASK, TAG_SHIFT } from './key-row.js'

/**
 * At most `rows` keys, each in a row, in the order of their last use. One fixed-size open-addressing index (linear
 * probing, backward-shift deletion) and one array of numbers with everything else of a row side by side, its key's
 * characters too: nothing ever grows or rehashes, so no request waits for it, and there is nothing for the garbage
 * collector to look at. docs/decisions/memory-store.md has the designs it was measured against.
 *
 * A row is identified by its key and its layout's scope. Its layout and its block are its owner's.
 */
export class KeyTable {
  /** How many rows are in use. */
  size = 0
  /** How many characters their keys have together. */
  characters = 0

  readonly #seed: HashSeed
  readonly #scopes: readonly string[]
  readonly #index: Int32Array
  readonly #mask: number
  readonly #rows: Int32Array
  readonly #long: LongKeys = new LongKeys()
  /** The form and the words of the key that was hashed last. */
  readonly #words = new Int32Array(KEPT_WORDS)
  readonly #scopeWords = new Int32Array(1)
  #newest = NONE
  #oldest = NONE
  #unused = 0
  #freed = NONE

  /** `scopes[layout]` is the scope of a layout; the owner keeps it current. */
  constructor(rows: number, scopes: readonly string[], seed: HashSeed = randomSeed()) {
    const slots = 2 ** Math.ceil(Math.log2(rows * SLOTS_PER_ROW + 1))
    this.#seed = seed
    this.#scopes = scopes
    this.#index = new Int32Array(slots)
    this.#mask = slots - 1
    this.#rows = new Int32Array(rows * ROW)
  }

  /** The row of a key, or NONE. */
  find(scope: string, key: string): number {
    const hash = this.#hash(scope, key)
    const index = this.#index
    for (let slot = this.#homeOf(hash); ; slot = this.#after(slot)) {
      const entry = index[slot] as number
      if (entry === 0) return NONE
      // Most keys that are passed on the way differ in their tags, so that their rows need not be looked at.
      if ((entry ^ hash) >>> TAG_SHIFT !== 0) continue
      const row = rowOf(entry)
      if (this.#isKey(row, key) && this.#scopes[this.layoutOf(row)] === scope) return row
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

  /** The least recently used row, or NONE. */
  oldest(): number {
    return this.#oldest
  }

  /** The row used next after this one, or NONE. */
  newerThan(row: number): number {
    return this.#rows[row * ROW + NEWER] as number
  }

  /** Gives a key that is not in the table a row, as the most recent. There must be room. */
  insert(key: string, layout: number, block: number): number {
    const hash = this.#hash(this.#scopes[layout] as string, key)
    const row = this.#takeRow()
    this.#rows[row * ROW + HASH] = hash
    this.#rows.set(this.#words, row * ROW + KEY)
    if (isLong(this.#words[0] as number)) this.#long.set(row, key)
    this.move(row, layout, block)
    let slot = this.#homeOf(hash)
    while (this.#index[slot] !== 0) slot = this.#after(slot)
    this.#index[slot] = entryOf(row, hash)
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
    let hole = this.#homeOf(this.#hashOf(row))
    while (rowOf(index[hole] as number) !== row) hole = this.#after(hole)
    for (let slot = this.#after(hole); index[slot] !== 0; slot = this.#after(slot)) {
      const home = this.#homeOf(this.#hashOf(rowOf(index[slot] as number)))
      // An entry may fill the hole if its home does not lie between the hole and where it is now (both cyclic).
      if (hole <= slot ? home <= hole || home > slot : home <= hole && home > slot) {
        index[hole] = index[slot] as number
        hole = slot
      }
    }
    index[hole] = 0
    this.#unlink(row)
    const form = this.#rows[row * ROW + KEY] as number
    if (isLong(form)) this.#long.set(row, '')
    this.size--
    this.characters -= form >>> 1
    this.#rows[row * ROW + NEWER] = this.#freed
    this.#freed = row
  }

  /** The hash of a key in a scope. Leaves the key's words in `#words`. */
  #hash(scope: string, key: string): number {
    const hash = hashOf(key, this.#seed, this.#words)
    return scope === '' ? hash : Math.imul(hash ^ hashOf(scope, this.#seed, this.#scopeWords), 0x9e3779b1)
  }

  #hashOf(row: number): number {
    return this.#rows[row * ROW + HASH] as number
  }

  /** Whether a row's key is this one, the last that was hashed. */
  #isKey(row: number, key: string): boolean {
    const words = this.#words
    const rows = this.#rows
    const first = row * ROW + KEY
    const form = words[0] as number
    if (rows[first] !== form) return false
    const count = wordsOf(form)
    if (count > KEPT_WORDS) return this.#long.at(row) === key
    for (let place = 1; place < count; place++) if (rows[first + place] !== words[place]) return false
    return true
  }

  #takeRow(): number {
    const freed = this.#freed
    if (freed === NONE) return this.#unused++
    this.#freed = this.newerThan(freed)
    return freed
  }

  #homeOf(hash: number): number {
    return hash & this.#mask
  }

  #after(slot: number): number {
    return (slot + 1) & this.#mask
  }

  #link(row: number): void {
    const rows = this.#rows
    const older = this.#newest
    rows[row * ROW + NEWER] = NONE
    rows[row * ROW + OLDER] = older
    if (older === NONE) this.#oldest = row
    else rows[older * ROW + NEWER] = row
    this.#newest = row
  }

  #unlink(row: number): void {
    const rows = this.#rows
    const newer = rows[row * ROW + NEWER] as number
    const older = rows[row * ROW + OLDER] as number
    if (newer === NONE) this.#newest = older
    else rows[newer * ROW + OLDER] = older
    if (older === NONE) this.#oldest = newer
    else rows[older * ROW + NEWER] = newer
  }
}

/** The index has this and up to the next power of two: 5 to 11 bytes a key, and under three steps to find one. */
const SLOTS_PER_ROW = 4 / 3

/** A row as it stands in the index: its number, a bit that is always set (0 is an empty slot), and the hash's upper bits. */
function entryOf(row: number, hash: number): number {
  return row | (1 << (TAG_SHIFT - 1)) | ((hash >>> TAG_SHIFT) << TAG_SHIFT)
}

function rowOf(entry: number): number {
  return entry & ROW_MASK
}

/** Whether a key of this form has more words than a row has room for. */
function isLong(form: number): boolean {
  return wordsOf(form) > KEPT_WORDS
}

/** The keys that are too long for their rows, in arrays of 1,024, made as they are needed: one of a million would be a pause. */
class LongKeys {
  readonly #chunks: string[][] = []

  at(row: number): string {
    return this.#chunks[row >> CHUNK_BITS]?.[row & CHUNK_MASK] ?? ''
  }

  set(row: number, key: string): void {
    this.#chunks[row >> CHUNK_BITS] ??= new Array<string>(1 << CHUNK_BITS)
    ;(this.#chunks[row >> CHUNK_BITS] as string[])[row & CHUNK_MASK] = flatCopy(key)
  }
}

const CHUNK_BITS = 10
const CHUNK_MASK = (1 << CHUNK_BITS) - 1

/** The same text in memory of its own: a slice would keep alive the whole header that it was cut from. */
function flatCopy(text: string): string {
  return text.split('').join('')
}
