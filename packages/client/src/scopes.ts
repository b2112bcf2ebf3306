import type { Settings } from './client-options.js'
import { Scope } from './scope.js'

/** Above this number, a scope that is idle is forgotten: ever new origins must not fill the memory. */
const MOST_SCOPES = 1_000
/** Above this number, also a scope that has to wait. */
const MOST_WAITING = 10_000
/** The scopes that are checked for each call. */
const MOST_CHECKED = 16

/**
 * The scopes of a client. Above a thousand, the first idle one of the 16 least recently used is forgotten. Above ten thousand,
 * it is the least recently used one without calls, even if it has to wait.
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
    const mustGo = this.#scopes.size > MOST_WAITING
    let checked = 0
    for (const [name, scope] of this.#scopes) {
      if (++checked > MOST_CHECKED && !mustGo) return
      if (name === kept || !(mustGo ? scope.unused : scope.idle)) continue
      this.#scopes.delete(name)
      return
    }
  }
}
