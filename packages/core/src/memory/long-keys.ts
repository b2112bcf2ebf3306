import { wordsOf } from './key-hash.js'
import { KEPT_WORDS } from './key-row.js'

/** The keys that are too long for their rows, in arrays of 1,024. To make one array for a million keys would take long. */
export class LongKeys {
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

/** Whether a key of this form has more words than a row has room for. */
export function isLong(form: number): boolean {
  return wordsOf(form) > KEPT_WORDS
}

/** The same string in memory of its own: a slice of a header keeps the whole header alive. */
export function flatCopy(key: string): string {
  return key.split('').join('')
}
