import type { MaybePromise } from '@rail/core'
import { isPromise } from '@rail/core/adapter'
import { identityOrNull } from './identity.js'
import { PATIENCE_MS } from './turns.js'

/** Looks keys up by their hash, one key once at a time, and remembers which it has found lately. */
export class LookUps<Identity> {
  readonly #lookup: (hash: string) => MaybePromise<Identity | null>
  readonly #now: () => number
  readonly #inFlight = new Map<string, InFlight<Identity>>()
  /** Hashes, the latest last. */
  readonly #found = new Set<string>()

  constructor(lookup: (hash: string) => MaybePromise<Identity | null>, now: () => number) {
    this.#lookup = lookup
    this.#now = now
  }

  /** The result of a look-up of this key that is in flight. */
  inFlight(hash: string): PromiseLike<Identity | null> | undefined {
    const lookUp = this.#inFlight.get(hash)
    return lookUp !== undefined && this.#now() - lookUp.startMs < PATIENCE_MS ? lookUp.result : undefined
  }

  hasFound(hash: string): boolean {
    return this.#found.has(hash)
  }

  /** @throws what the look-up throws; RailError `RAIL_BAD_IDENTITY` */
  start(hash: string): MaybePromise<Identity | null> {
    const found = this.#lookup(hash)
    if (!isPromise(found)) return this.#remember(hash, found)
    // A query builder runs its query at each call of its then(), so this is the only one.
    const result = Promise.resolve(found).then((identity) => this.#remember(hash, identity))
    const lookUp = { result, startMs: this.#now() }
    this.#inFlight.set(hash, lookUp)
    return result.finally(() => {
      if (this.#inFlight.get(hash) === lookUp) this.#inFlight.delete(hash)
    })
  }

  #remember(hash: string, found: Identity | null): Identity | null {
    const identity = identityOrNull(found)
    this.#found.delete(hash)
    if (identity !== null) this.#found.add(hash)
    if (this.#found.size > MOST_FOUND) this.#found.delete(this.#found.values().next().value as string)
    return identity
  }
}

/** Some 5 MB. */
const MOST_FOUND = 40_000

interface InFlight<Identity> {
  readonly result: PromiseLike<Identity | null>
  readonly startMs: number
}
