import { randomFrom } from './statistics.js'

/** How requests are spread over customers. `hot`: all are one customer's. `new`: each is a new customer's. */
export type Spread = 'uniform' | 'zipf' | 'hot' | 'new'

const LENGTH = 18

/**
 * Keys of 18 characters, each a new string, as a header parser makes them: a Map that is asked with the very strings it
 * holds need neither hash nor compare them, and looks up to seven times cheaper than it is in a server.
 */
export class FreshKeys {
  readonly #text: Buffer
  readonly #order: Int32Array
  readonly #next: () => number
  #place = 0
  #made = 0

  constructor(customers: number, spread: Spread) {
    this.#text = Buffer.alloc(LENGTH * customers, 0)
    for (let index = 0; index < customers; index++) this.#text.write(keyText(index), index * LENGTH, 'latin1')
    const random = randomFrom(customers)
    this.#next = spread === 'new' ? () => -1 : drawerOf(spread, customers, random)
    this.#order = Int32Array.from({ length: 1 << 17 }, this.#next)
  }

  /** Every key once, in the order in which customers came. */
  *all(slice: number): Iterable<string[]> {
    const customers = this.#text.length / LENGTH
    for (let start = 0; start < customers; start += slice) {
      yield Array.from({ length: Math.min(slice, customers - start) }, (_, index) => this.#at(start + index))
    }
  }

  /** The keys of the next requests. */
  next(count: number): string[] {
    const keys: string[] = []
    for (let index = 0; index < count; index++) keys.push(this.#one())
    return keys
  }

  #one(): string {
    if (this.#place === this.#order.length) {
      this.#place = 0
      for (let index = 0; index < this.#order.length; index++) this.#order[index] = this.#next()
    }
    const customer = this.#order[this.#place++] as number
    if (customer >= 0) return this.#at(customer)
    scratch.write(keyText(1e9 + this.#made++), 'latin1')
    return scratch.toString('latin1')
  }

  #at(customer: number): string {
    return this.#text.toString('latin1', customer * LENGTH, (customer + 1) * LENGTH)
  }
}

const scratch = Buffer.alloc(LENGTH)

function keyText(index: number): string {
  return `key_${String(index).padStart(LENGTH - 4, '0')}`
}

function drawerOf(spread: 'uniform' | 'zipf' | 'hot', customers: number, random: () => number): () => number {
  if (spread === 'hot') return () => customers >> 1
  if (spread === 'uniform') return () => Math.floor(random() * customers)
  // The n-th busiest customer sends 1/n of what the busiest sends; busy ones are anywhere in the order they came in.
  const upTo = new Float64Array(customers)
  let sum = 0
  for (let index = 0; index < customers; index++) {
    sum += 1 / (index + 1)
    upTo[index] = sum
  }
  const shuffled = Int32Array.from(upTo, (_, index) => index)
  for (let index = customers - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1))
    const moved = shuffled[index] as number
    shuffled[index] = shuffled[other] as number
    shuffled[other] = moved
  }
  return () => {
    const wanted = random() * sum
    let low = 0
    let high = customers - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((upTo[middle] as number) < wanted) low = middle + 1
      else high = middle
    }
    return shuffled[low] as number
  }
}
