import type { Limit } from '../limit/limit.js'
import { Blocks } from './blocks.js'

/** Which buckets a key has, in which order: shared by all keys of a scope that meet the same limits. */
export interface Layout {
  readonly id: number
  readonly scope: string
  readonly limits: readonly Limit[]
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
  acquire(scope: string, limits: readonly Limit[]): Layout {
    let layout = this.#byArray.get(limits)
    if (layout === undefined || layout.keys === 0 || layout.scope !== scope) {
      layout = this.#byDefinition.get(definitionOf(scope, limits)) ?? this.#make(scope, limits)
      this.#byArray.set(limits, layout)
    }
    layout.keys++
    return layout
  }

  /** One key fewer has this layout; the last one takes it away. */
  release(layout: Layout): void {
    if (--layout.keys > 0) return
    this.#byDefinition.delete(definitionOf(layout.scope, layout.limits))
    this.#freed.push(layout.id)
    this.characters -= layout.scope.length
  }

  #make(given: string, limits: readonly Limit[]): Layout {
    // A copy: a slice of a header would keep the whole header.
    const scope = JSON.parse(JSON.stringify(given)) as string
    const room = roomFor(limits.length)
    this.#blocks[room] ??= new Blocks(room, this.#maxKeys)
    const blocks = this.#blocks[room] as Blocks
    const layout: Layout = { id: this.#freed.pop() ?? this.#layouts.length, scope, limits, blocks, keys: 0 }
    this.#layouts[layout.id] = layout
    this.scopes[layout.id] = scope
    this.characters += scope.length
    this.#byDefinition.set(definitionOf(scope, limits), layout)
    return layout
  }
}

/** Up to 8 buckets have blocks of their own size; more share one of the next power of two, or every number would take memory. */
function roomFor(buckets: number): number {
  return buckets <= 8 ? buckets : 2 ** Math.ceil(Math.log2(buckets))
}

/** Two sets of limits with the same text keep the same buckets. */
function definitionOf(scope: string, limits: readonly Limit[]): string {
  return JSON.stringify([
    scope,
    ...limits.map((limit) => [limit.name, limit.grain, limit.flow, limit.burst, limit.wholeBurst]),
  ])
}
