import { RailError, shown } from '../base/errors.js'
import { suggestionFor } from '../base/suggestion.js'

/** A problem in a plan document. */
export interface PlanProblem {
  /** The names that lead to it from the top of the document. */
  readonly path: readonly string[]
  /** What was expected, what came, and what to do: it follows the path, as `path: message`. */
  readonly message: string
}

/** Collects problems, so that one check of a document finds them all. It keeps the first 100 and counts the rest. */
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

  /** Runs a function; if it throws a RailError, adds a problem and returns `undefined`. */
  attempt<Made>(path: readonly string[], make: () => Made): Made | undefined {
    try {
      return make()
    } catch (error) {
      if (!(error instanceof RailError)) throw error
      this.add(path, error.message)
      return undefined
    }
  }

  /** Whether a value is an object. Adds a problem for each unknown name in it. */
  isObject(path: readonly string[], value: unknown, known: readonly string[], what: string): value is object {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.add(
        path,
        `expected ${what} (an object with ${known.join(', ')}), got ${shown(value)}. Write { ${known[0]}: … }.`,
      )
      return false
    }
    for (const name of Object.keys(value)) {
      if (!known.includes(name)) {
        const hint = suggestionFor(name, known) || ' Remove it.'
        this.add([...path, name], `expected a member of ${what} (${known.join(', ')}), got ${shown(name)}.${hint}`)
      }
    }
    return true
  }

  /** The pairs of a {@link ByName}; none if one of them is not a pair. */
  pairs(path: readonly string[], value: unknown): readonly (readonly [string, unknown])[] {
    if (value === undefined) return []
    if (typeof value !== 'object' || value === null) {
      this.add(path, `expected an object by name or pairs [name, …], got ${shown(value)}. Write { name: … }.`)
      return []
    }
    if (!(Symbol.iterator in value)) return this.#named(path, Object.entries(value))
    const pairs: unknown[] = [...(value as Iterable<unknown>)]
    const wrong = pairs.findIndex((pair) => !isPair(pair))
    if (wrong < 0) return this.#named(path, pairs.filter(isPair))
    this.add([...path, String(wrong)], `expected a pair [name, …], got ${shown(pairs[wrong])}. Write the name first.`)
    return []
  }

  /** Throws an error of all problems, if there are any. @throws RailError `RAIL_BAD_PLAN` */
  throwIfAny(): void {
    if (this.#count === 0) return
    const lines = this.list.slice(0, 5).map(({ path, message }) => `${pathText(path)}: ${message}`)
    const more = this.#count > lines.length ? [`… and ${this.#count - lines.length} more.`] : []
    throw new RailError('RAIL_BAD_PLAN', [...lines, ...more].join('\n'))
  }

  #named(path: readonly string[], pairs: readonly [string, unknown][]): readonly [string, unknown][] {
    const seen = new Set<string>()
    for (const [name] of pairs) {
      if (name === '') this.add([...path, name], 'expected a name, got "". Give one.')
      if (seen.has(name)) this.add([...path, name], 'expected each name once, got it twice. Keep one.')
      seen.add(name)
    }
    return pairs
  }
}

function isPair(value: unknown): value is [string, unknown] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'string'
}

/** A path for people: `customers.acme.plan`, `customers["a.b"].plan`; `the document` for the top. */
export function pathText(path: readonly string[]): string {
  if (path.length === 0) return 'the document'
  const written = path.map((name) => (/^[\w$-]+$/.test(name) ? `.${name}` : `[${shown(name)}]`)).join('')
  return written.startsWith('.') ? written.slice(1) : written
}
