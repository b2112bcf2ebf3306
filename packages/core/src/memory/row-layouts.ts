import type { Limit } from '../limit/limit.js'
import { Blocks } from './blocks.js'

/** The buckets of a key, in order. All keys of a scope with the same limits share it. */
export interface Layout {
  readonly id: number
  readonly scope: string
  readonly limits: readonly Limit[]
  /** Whether a block has each bucket's total behind what the buckets owe: only where a definition has shrunk. */
  readonly hasTotals: boolean
  /** Numbers in a block. */
  readonly numbers: number
  /** The state of its keys. */
  readonly blocks: Blocks
  /** How many keys have it. */
  keys: number
}

/** The layouts in use. As many as there are different sets of limits, never more than keys. */
export class Layouts {
  /** The scope of each layout, by id, for the table of keys. */
  readonly scopes: string[] = []
  /** Characters of the scopes of all layouts in use. */
  characters = 0
  readonly #layouts: Layout[] = []
  readonly #blocks: Blocks[] = []
  readonly #freed: number[] = []
  readonly #maxKeys: number
  readonly #byDefinition = new Map<string, Layout>()
  readonly #byArray = new WeakMap<readonly Limit[], Layout>()

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys
  }

  at(id: number): Layout {
    return this.#layouts[id] as Layout
  }

  /** The layout for these limits, for one more key; made when there is none. Each call needs one of `release`. */
  acquire(scope: string, limits: readonly Limit[], hasTotals = false): Layout {
    let layout = this.#byArray.get(limits)
    if (layout === undefined || layout.keys === 0 || layout.scope !== scope || layout.hasTotals !== hasTotals) {
      layout = this.#byDefinition.get(definitionOf(scope, limits, hasTotals)) ?? this.#make(scope, limits, hasTotals)
      this.#byArray.set(limits, layout)
    }
    layout.keys++
    return layout
  }

  /** Removes one key from this layout, and the layout with its last key. */
  release(layout: Layout): void {
    if (--layout.keys > 0) return
    this.#byDefinition.delete(definitionOf(layout.scope, layout.limits, layout.hasTotals))
    this.#freed.push(layout.id)
    this.characters -= layout.scope.length
  }

  #make(given: string, limits: readonly Limit[], hasTotals: boolean): Layout {
    // A copy: a slice of a header would keep the whole header.
    const scope = JSON.parse(JSON.stringify(given)) as string
    const numbers = hasTotals ? 2 * limits.length : limits.length
    const room = roomFor(numbers)
    this.#blocks[room] ??= new Blocks(room, this.#maxKeys)
    const blocks = this.#blocks[room] as Blocks
    const id = this.#freed.pop() ?? this.#layouts.length
    const layout: Layout = { id, scope, limits, hasTotals, numbers, blocks, keys: 0 }
    this.#layouts[layout.id] = layout
    this.scopes[layout.id] = scope
    this.characters += scope.length
    this.#byDefinition.set(definitionOf(scope, limits, hasTotals), layout)
    return layout
  }
}

/** The size of a block: the number itself up to 8, then the next power of two, since every size takes memory. */
function roomFor(numbers: number): number {
  return numbers <= 8 ? numbers : 2 ** Math.ceil(Math.log2(numbers))
}

/** A string that is equal for limits that keep the same buckets. */
function definitionOf(scope: string, limits: readonly Limit[], hasTotals: boolean): string {
  return JSON.stringify([
    scope,
    hasTotals,
    ...limits.map((limit) => [limit.name, limit.grain, limit.flow, limit.burst, limit.wholeBurst]),
  ])
}
