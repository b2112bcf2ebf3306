import { advice } from '../base/advice.js'
import { railError, unexpected } from '../base/errors.js'
import { type Limit, sameBucket } from '../limit/limit.js'
import { sentName } from '../limit/sent-name.js'

/** The static limits of each store, by scope and name. Made at the first use. */
let defined: WeakMap<object, Map<string, Limit>> | undefined

/**
 * Remembers limits that are the same for every request: an array. Those of a source or a function may change. Two of one
 * name that differ would share a bucket and count wrong.
 *
 * @throws RailError `RAIL_DUPLICATE_NAME` where the store has another limit of this scope and name
 */
export function defineLimits(store: object, scope: string, limits: unknown): void {
  if (!Array.isArray(limits)) return
  defined ??= new WeakMap()
  const limitsOfStore = defined.get(store) ?? new Map<string, Limit>()
  defined.set(store, limitsOfStore)
  for (const limit of limits as readonly Limit[]) {
    const other = limitsOfStore.get(idOf(scope, limit.name))
    if (other !== undefined && (!sameBucket(other, limit) || other.counts !== limit.counts)) {
      throw railError(
        'RAIL_DUPLICATE_NAME',
        `limits: this store has another limit "${sentName(scope, limit)}"`,
        advice(
          `Give one a scope or another name. To change it, call store.forget('${scope}', '${limit.name}') first, or use a new store.`,
        ),
      )
    }
  }
  for (const limit of limits) limitsOfStore.set(idOf(scope, limit.name), limit)
}

/**
 * Forgets the definition of a store's limit of this scope and name, so that it can have another one.
 *
 * @throws RailError `RAIL_BAD_OPTION` for a scope or a name that is not a string
 */
export function forgetLimit(store: object, scope: string, name: string): void {
  for (const [what, value] of Object.entries({ scope, name })) {
    if (typeof value === 'string') continue
    const toDo = advice("Write forget('', 'per_minute').")
    throw unexpected('RAIL_BAD_OPTION', `${what} of forget()`, 'a string', value, toDo)
  }
  defined?.get(store)?.delete(idOf(scope, name))
}

function idOf(scope: string, name: string): string {
  return JSON.stringify([scope, name])
}
