import { type MaybePromise, RailError } from '@rail/core'
import { isPromise } from '@rail/core/adapter'
import { identityOrNull } from './identity.js'
import { MOST_MS, within } from './within.js'

/** Looks keys up by their hash, one key once at a time, and remembers which it has found lately. */
export class LookUps<Identity> {
  readonly #lookup: (hash: string) => MaybePromise<Identity | null>
  readonly #inFlight = new Map<string, PromiseLike<Identity | null>>()
  /** Hashes, the latest last. */
  readonly #found = new Set<string>()

  constructor(lookup: (hash: string) => MaybePromise<Identity | null>) {
    this.#lookup = lookup
  }

  /** The result of a look-up of this key that is in flight. */
  inFlight(hash: string): PromiseLike<Identity | null> | undefined {
    return this.#inFlight.get(hash)
  }

  hasFound(hash: string): boolean {
    return this.#found.has(hash)
  }

  /** @throws what the look-up throws; RailError `RAIL_BAD_IDENTITY`, `RAIL_LOOKUP_LATE` */
  start(hash: string): MaybePromise<Identity | null> {
    const found = this.#lookup(hash)
    if (!isPromise(found)) return this.#remember(hash, found)
    // A query builder runs its query at each call of its then(), so this is the only one.
    const result = within(Promise.resolve(found), late).then((identity) => this.#remember(hash, identity))
    this.#inFlight.set(hash, result)
    return result.finally(() => this.#inFlight.delete(hash))
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

function late(): RailError {
  const seconds = MOST_MS / 1_000
  return new RailError(
    'RAIL_LOOKUP_LATE',
    `lookup(): expected a result within ${seconds} s, got none. Give it a shorter time limit of its own.`,
  )
}
