import { advice } from '../base/advice.js'
import { railError } from '../base/errors.js'
import { type Limit, sameBucket } from '../limit/limit.js'
import { sentName } from '../limit/sent-name.js'

/** The limits that every request on a store meets under a scope and a name. Made at the first use. */
let defined: WeakMap<object, Map<string, Limit>> | undefined

/**
 * Remembers limits that are the same for every request. Two that differ would share a bucket that no request is counted
 * right in.
 *
 * @throws RailError `RAIL_DUPLICATE_NAME` where the store has another limit of this scope and name
 */
export function defineLimits(store: object, scope: string, limits: readonly Limit[]): void {
  defined ??= new WeakMap()
  const known = defined.get(store) ?? new Map<string, Limit>()
  defined.set(store, known)
  for (const limit of limits) {
    const other = known.get(idOf(scope, limit.name))
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
  for (const limit of limits) known.set(idOf(scope, limit.name), limit)
}

/** Forgets how a store's limit of this scope and name was defined, so that it can be defined otherwise. */
export function forgetLimit(store: object, scope: string, name: string): void {
  defined?.get(store)?.delete(idOf(scope, name))
}

function idOf(scope: string, name: string): string {
  return JSON.stringify([scope, name])
}
