/**
 * The state of keys that have the same number of buckets: for each a block of numbers, its `at` and then what each bucket
 * owes. Blocks come in chunks that are made as they are needed, so nothing is ever copied to grow.
 */
export class Blocks {
  /** Numbers in one block. */
  readonly stride: number
  readonly #chunks: Float64Array[] = []
  #used = 0
  #freed = -1

  constructor(buckets: number) {
    this.stride = buckets + 1
  }

  /** The numbers among which a block lies, from {@link offsetOf} on. */
  chunkOf(block: number): Float64Array {
    return this.#chunks[block >> CHUNK_BITS] as Float64Array
  }

  offsetOf(block: number): number {
    return (block & CHUNK_MASK) * this.stride
  }

  /** A block, its numbers whatever they were. */
  acquire(): number {
    const freed = this.#freed
    if (freed >= 0) {
      this.#freed = this.chunkOf(freed)[this.offsetOf(freed)] as number
      return freed
    }
    if (this.#used >> CHUNK_BITS === this.#chunks.length) {
      this.#chunks.push(new Float64Array(this.stride << CHUNK_BITS))
    }
    return this.#used++
  }

  release(block: number): void {
    this.chunkOf(block)[this.offsetOf(block)] = this.#freed
    this.#freed = block
  }
}

const CHUNK_BITS = 9
const CHUNK_MASK = (1 << CHUNK_BITS) - 1
