import { MOST_AHEAD_MS } from '../bucket/bucket.js'

/**
 * The state of keys that need the same number of numbers: for each a block, its `at` and then what its layout says. Made for as many keys as there can be: memory that is never written to costs nothing, and nothing is ever copied to grow.
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

  /** Where in `state` a block's buckets are; its `at` is just before them. */
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
 * How far the clock has stepped back behind a block whose `numbers` are at `first` and following, in milliseconds: until
 * it catches up, nothing drains. 0 where nothing is owed, and where the step was so long that the key is re-anchored.
 */
export function aheadOf(state: Float64Array, first: number, numbers: number, now: number): number {
  const ahead = (state[first - 1] as number) - now
  if (ahead <= 0 || ahead > MOST_AHEAD_MS) return 0
  for (let place = first; place < first + numbers; place++) if (state[place] !== 0) return ahead
  return 0
}
