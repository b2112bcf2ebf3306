import { type HashSeed, hashOf, randomSeed } from './key-hash.js'

/** No row. */
export const NONE = -1

/**
 * At most `rows` keys, each in a row, in the order of their last use. One fixed-size open-addressing index (linear
 * probing, backward-shift deletion), so nothing ever grows or rehashes and no request waits for it.
 * docs/decisions/memory-store.md has the designs it was measured against.
 *
 * A row is identified by its key and its layout's scope; what else belongs to it is its owner's.
 */
export class KeyTable {
  /** The layout of each row: an index into `scopes`, set by the owner. */
  readonly layout: Int32Array
  /** How many rows are in use. */
  size = 0
  /** How many characters their keys have together. */
  characters = 0

  readonly #seed: HashSeed
  readonly #scopes: readonly string[]
  readonly #index: Int32Array
  readonly #slotsPerHash: number
  readonly #hashes: Int32Array
  readonly #keys: string[][] = []
  readonly #newer: Int32Array
  readonly #older: Int32Array
  #newest = NONE
  #oldest = NONE
  #unused = 0
  #freed = NONE

  /** `scopes[layout]` is the scope of a layout; the owner keeps it current. */
  constructor(rows: number, scopes: readonly string[], seed: HashSeed = randomSeed()) {
    const slots = Math.ceil(rows * SLOTS_PER_ROW) + 1
    this.#seed = seed
    this.#scopes = scopes
    this.#index = new Int32Array(slots)
    this.#slotsPerHash = slots / 2 ** 32
    this.#hashes = new Int32Array(rows)
    this.#newer = new Int32Array(rows)
    this.#older = new Int32Array(rows)
    this.layout = new Int32Array(rows)
  }

  /** The hash that the other methods take, so that it is made once. */
  hash(scope: string, key: string): number {
    const hash = hashOf(key, this.#seed)
    return scope === '' ? hash : Math.imul(hash ^ hashOf(scope, this.#seed), 0x9e3779b1)
  }

  /** The row of a key, or NONE. */
  find(scope: string, key: string, hash: number): number {
    for (let slot = this.#homeOf(hash); ; slot = this.#after(slot)) {
      const row = (this.#index[slot] as number) - 1
      if (row === NONE) return NONE
      if (this.#hashes[row] === hash && this.keyOf(row) === key && this.#scopes[this.layout[row] as number] === scope) {
        return row
      }
    }
  }

  keyOf(row: number): string {
    return (this.#keys[row >> CHUNK_BITS] as string[])[row & CHUNK_MASK] as string
  }

  /** The least recently used row, or NONE. */
  oldest(): number {
    return this.#oldest
  }

  /** The row used next after this one, or NONE. */
  newerThan(row: number): number {
    return this.#newer[row] as number
  }

  /** Gives a key that is not in the table a row, as the most recent. There must be room. */
  insert(key: string, hash: number): number {
    const row = this.#takeRow()
    const chunk = row >> CHUNK_BITS
    this.#keys[chunk] ??= new Array<string>(1 << CHUNK_BITS)
    ;(this.#keys[chunk] as string[])[row & CHUNK_MASK] = flatCopy(key)
    this.#hashes[row] = hash
    let slot = this.#homeOf(hash)
    while (this.#index[slot] !== 0) slot = this.#after(slot)
    this.#index[slot] = row + 1
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
    let hole = this.#homeOf(this.#hashes[row] as number)
    while (index[hole] !== row + 1) hole = this.#after(hole)
    for (let slot = this.#after(hole); index[slot] !== 0; slot = this.#after(slot)) {
      const home = this.#homeOf(this.#hashes[(index[slot] as number) - 1] as number)
      // An entry may fill the hole if its home does not lie between the hole and where it is now (both cyclic).
      if (hole <= slot ? home <= hole || home > slot : home <= hole && home > slot) {
        index[hole] = index[slot] as number
        hole = slot
      }
    }
    index[hole] = 0
    this.#unlink(row)
    this.size--
    this.characters -= this.keyOf(row).length
    ;(this.#keys[row >> CHUNK_BITS] as string[])[row & CHUNK_MASK] = ''
    this.#newer[row] = this.#freed
    this.#freed = row
  }

  #takeRow(): number {
    const freed = this.#freed
    if (freed === NONE) return this.#unused++
    this.#freed = this.#newer[freed] as number
    return freed
  }

  #homeOf(hash: number): number {
    return ((hash >>> 0) * this.#slotsPerHash) | 0
  }

  #after(slot: number): number {
    return slot + 1 === this.#index.length ? 0 : slot + 1
  }

  #link(row: number): void {
    this.#newer[row] = NONE
    this.#older[row] = this.#newest
    if (this.#newest === NONE) this.#oldest = row
    else this.#newer[this.#newest] = row
    this.#newest = row
  }

  #unlink(row: number): void {
    const newer = this.#newer[row] as number
    const older = this.#older[row] as number
    if (newer === NONE) this.#newest = older
    else this.#older[newer] = older
    if (older === NONE) this.#oldest = newer
    else this.#newer[older] = newer
  }
}

/** The index is two thirds full at most: 6 bytes a key, and under two steps to find one. */
const SLOTS_PER_ROW = 1.5
/** Keys are kept in arrays of 1,024, made as they are needed: one array of a million would be a pause. */
const CHUNK_BITS = 10
const CHUNK_MASK = (1 << CHUNK_BITS) - 1
/** Arguments of one call, well below any engine's bound. */
const PIECE = 4_096

/** The same text in memory of its own: a slice would keep alive the whole header that it was cut from. */
function flatCopy(text: string): string {
  const pieces: string[] = []
  for (let start = 0; start < text.length; start += PIECE) {
    const codes: number[] = []
    for (let index = start; index < Math.min(start + PIECE, text.length); index++) codes.push(text.charCodeAt(index))
    pieces.push(String.fromCharCode.apply(null, codes))
  }
  return pieces.length === 1 ? (pieces[0] as string) : pieces.join('')
}
