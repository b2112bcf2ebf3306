import type { Settings } from './client-options.js'
import { Scope } from './scope.js'

/** A client that is pointed at ever new origins must not fill the memory, … */
const MOST_SCOPES = 1_000
/** … also where each of them tells it to wait, … */
const MOST_HELD = 10_000
/** … nor look at all of them for each call. */
const MOST_TRIED = 16

/**
 * The scopes of a client. Beyond a thousand, the first of the 16 least recently used that nothing waits for is forgotten;
 * beyond ten thousand, the least recently used that no call waits for or is in flight to, though it may have to wait.
 */
export class Scopes {
  readonly #settings: Settings
  readonly #scopes = new Map<string, Scope>()

  constructor(settings: Settings) {
    this.#settings = settings
  }

  of(name: string): Scope {
    const scope = this.#scopes.get(name) ?? new Scope(name, this.#settings)
    this.#scopes.delete(name)
    this.#scopes.set(name, scope)
    if (this.#scopes.size > MOST_SCOPES) this.#forgetOne(name)
    return scope
  }

  all(): readonly Scope[] {
    return [...this.#scopes.values()]
  }

  #forgetOne(kept: string): void {
    const mustGo = this.#scopes.size > MOST_HELD
    let tried = 0
    for (const [name, scope] of this.#scopes) {
      if (++tried > MOST_TRIED && !mustGo) return
      if (name === kept || !(mustGo ? scope.unused : scope.idle)) continue
      this.#scopes.delete(name)
      return
    }
  }
}
