import { MOST_AHEAD_MS } from '../bucket/bucket.js'

/**
 * The state of keys with the same number of numbers: a block for each key, with its `at` and then the numbers of its layout.
 * It has room for as many keys as there can be, and so never grows. Memory that is not written to is not used.
 */
export class Blocks {
  /** Numbers in one block. */
  readonly stride: number
  /** All blocks, one after the other. */
  readonly state: Float64Array
  #used = 0
  #freed = -1

  constructor(numbers: number, blocks: number) {
    this.stride = numbers + 1
    this.state = new Float64Array(this.stride * blocks)
  }

  /** The place of a block's buckets in `state`. Its `at` is just before them. */
  firstOf(block: number): number {
    return block * this.stride + 1
  }

  /** A block whose buckets are full, `now`. */
  acquire(now: number): number {
    const block = this.#freed < 0 ? this.#used++ : this.#freed
    const offset = block * this.stride
    if (block === this.#freed) this.#freed = this.state[offset] as number
    this.state[offset] = now
    for (let place = offset + 1; place < offset + this.stride; place++) this.state[place] = 0
    return block
  }

  release(block: number): void {
    this.state[block * this.stride] = this.#freed
    this.#freed = block
  }
}

/**
 * How far the clock has stepped back behind a block whose `numbers` are at `first` and following, in milliseconds. The
 * buckets do not drain until it catches up. 0 where nothing is owed, and where the step was too long to wait out.
 */
export function aheadOf(state: Float64Array, first: number, numbers: number, now: number): number {
  const ahead = (state[first - 1] as number) - now
  if (ahead <= 0 || ahead > MOST_AHEAD_MS) return 0
  for (let place = first; place < first + numbers; place++) if (state[place] !== 0) return ahead
  return 0
}
