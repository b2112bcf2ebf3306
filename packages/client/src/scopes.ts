import type { Settings } from './client-options.js'
import { Scope } from './scope.js'

/** A client that is pointed at ever new origins must not fill the memory. */
const MOST_SCOPES = 1_000

/** The scopes of a client. Beyond a thousand, those that nothing waits for are forgotten, the least recently used first. */
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
    for (const [name, scope] of this.#scopes) {
      if (name === kept || !scope.idle) continue
      this.#scopes.delete(name)
      return
    }
  }
}
