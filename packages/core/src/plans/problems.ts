import { RailError, shown } from '../base/errors.js'
import { suggestionFor } from '../base/suggestion.js'

/** One thing that is wrong in a plan document. */
export interface PlanProblem {
  /** The names that lead to it from the document's top. */
  readonly path: readonly string[]
  /** What was expected, what came, and what to do: a sentence. */
  readonly message: string
}

/** Collects problems, so that one look at a document finds them all. It keeps the first 100 and counts the rest. */
export class PlanProblems {
  readonly list: PlanProblem[] = []
  #count = 0

  get count(): number {
    return this.#count
  }

  add(path: readonly string[], message: string): void {
    this.#count += 1
    if (this.list.length < 100) this.list.push({ path, message })
  }

  /** Runs what may throw a RailError, and makes a problem of it; `undefined` then. */
  attempt<Made>(path: readonly string[], make: () => Made): Made | undefined {
    try {
      return make()
    } catch (error) {
      if (!(error instanceof RailError)) throw error
      this.add(path, error.message)
      return undefined
    }
  }

  /** Whether a value is an object with known names only. `undefined` values are fine: they are as good as not there. */
  isObject(path: readonly string[], value: unknown, known: readonly string[], what: string): value is object {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.add(
        path,
        `${what} is an object with ${known.join(', ')}, got ${shown(value)}. Write { … }, with those that are needed.`,
      )
      return false
    }
    for (const name of Object.keys(value)) {
      if (!known.includes(name)) {
        this.add([...path, name], `${what} has no "${name}".${suggestionFor(name, known)} It has ${known.join(', ')}.`)
      }
    }
    return true
  }

  /** The pairs of a {@link ByName}, those that are sound. */
  pairs(path: readonly string[], value: unknown, what: string): readonly (readonly [string, unknown])[] {
    if (value === undefined) return []
    if (typeof value !== 'object' || value === null) {
      this.add(path, `${what} are an object by name, or pairs [name, …]; got ${shown(value)}. Write { name: … }.`)
      return []
    }
    if (!(Symbol.iterator in value)) return this.#named(path, Object.entries(value))
    const pairs: unknown[] = [...(value as Iterable<unknown>)]
    const wrong = pairs.findIndex((pair) => !isPair(pair))
    if (wrong < 0) return this.#named(path, pairs.filter(isPair))
    this.add(
      [...path, String(wrong)],
      `${what} are pairs [name, …] here, got ${shown(pairs[wrong])}. Write the name first.`,
    )
    return []
  }

  /** Throws what was found, if anything was. @throws RailError `RAIL_BAD_PLAN` */
  refuse(): void {
    if (this.#count === 0) return
    const lines = this.list.slice(0, 5).map(({ path, message }) => `${pathText(path)}: ${message}`)
    const more = this.#count > lines.length ? [`… and ${this.#count - lines.length} more.`] : []
    throw new RailError('RAIL_BAD_PLAN', [...lines, ...more].join('\n'))
  }

  #named(path: readonly string[], pairs: readonly [string, unknown][]): readonly [string, unknown][] {
    const seen = new Set<string>()
    for (const [name] of pairs) {
      if (name === '') this.add([...path, name], 'A name here is a text that is not empty. Give one.')
      if (seen.has(name)) this.add([...path, name], 'This name is here twice; keep one.')
      seen.add(name)
    }
    return pairs
  }
}

function isPair(value: unknown): value is [string, unknown] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'string'
}

/** A path as people read it: `customers.acme.plan`, `customers["a.b"].plan`; `the document` for its top. */
export function pathText(path: readonly string[]): string {
  if (path.length === 0) return 'the document'
  const text = path.map((name) => (/^[\w$-]+$/.test(name) ? `.${name}` : `[${shown(name)}]`)).join('')
  return text.startsWith('.') ? text.slice(1) : text
}
