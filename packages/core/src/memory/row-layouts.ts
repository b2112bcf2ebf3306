import type { Limit } from '../limit/limit.js'
import { Blocks } from './blocks.js'

/** Which buckets a key has, in which order: shared by all keys of a scope that meet the same limits. */
export interface Layout {
  readonly id: number
  readonly scope: string
  readonly limits: readonly Limit[]
  /** Whether a block has, behind what each bucket owes, also what each owes in all: only where a definition has shrunk. */
  readonly hasTotals: boolean
  /** How many numbers that makes. */
  readonly numbers: number
  /** Where the state of its keys is. */
  readonly blocks: Blocks
  /** How many keys have it. */
  keys: number
}

/** The layouts in use. As many as there are different sets of limits, never more than keys. */
export class Layouts {
  /** The scope of each layout, by id: what a table of keys needs to know. */
  readonly scopes: string[] = []
  /** How many characters the scopes of the layouts in use have together. */
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

  /** The layout for these limits, for one more key; made when there is none. Whoever acquires releases. */
  acquire(scope: string, limits: readonly Limit[], hasTotals = false): Layout {
    let layout = this.#byArray.get(limits)
    if (layout === undefined || layout.keys === 0 || layout.scope !== scope || layout.hasTotals !== hasTotals) {
      layout = this.#byDefinition.get(definitionOf(scope, limits, hasTotals)) ?? this.#make(scope, limits, hasTotals)
      this.#byArray.set(limits, layout)
    }
    layout.keys++
    return layout
  }

  /** One key fewer has this layout; the last one takes it away. */
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

/** Up to 8 numbers have blocks of their own size; more share one of the next power of two, or every size would take memory. */
function roomFor(numbers: number): number {
  return numbers <= 8 ? numbers : 2 ** Math.ceil(Math.log2(numbers))
}

/** Two sets of limits with the same text keep the same buckets. */
function definitionOf(scope: string, limits: readonly Limit[], hasTotals: boolean): string {
  return JSON.stringify([
    scope,
    hasTotals,
    ...limits.map((limit) => [limit.name, limit.grain, limit.flow, limit.burst, limit.wholeBurst]),
  ])
}
