import { checkOption, checkOptionNames, isFunction, isWholeFrom } from '../base/check.js'
import type { SynchronousStore } from '../bucket/store.js'
import type { Charge } from '../limit/charge.js'
import type { Limit } from '../limit/limit.js'
import { share } from '../limit/share.js'
import { MemoryStore, type MemoryStoreOptions } from '../memory/memory-store.js'

/** The options of {@link localStore}. */
export interface LocalStoreOptions extends MemoryStoreOptions {
  /** The number of servers that share each limit: a whole number from 1, or a function that returns it. @default 1 */
  readonly servers?: number | (() => number) | undefined
}

/**
 * A store in this process's memory that enforces each limit at this server's share, `share(limit, servers)`. For the option
 * `onStoreFailure`, to keep counting while Redis is down.
 *
 * @example
 * rateLimit({ identify, limits, store: new RedisStore({ client }), onStoreFailure: localStore({ servers: 4 }) })
 *
 * @throws RailError `RAIL_BAD_OPTION`, `RAIL_UNKNOWN_OPTION` for wrong options
 */
export function localStore(options: LocalStoreOptions = {}): SynchronousStore {
  checkOptionNames(options, ['servers', 'maxKeys'], 'localStore()')
  const { servers = 1, maxKeys } = options
  checkOption('servers', servers, 'a whole number from 1, or a function that returns one', isNumberOfServers)
  const store = new MemoryStore({ maxKeys })
  const shared = sharing(servers)
  return {
    take: (charges, now, before) => store.take(shared(charges), now, before && shared(before)),
    peek: (charges, now, before) => store.peek(shared(charges), now, before && shared(before)),
    settle: (charges, actual, now) => store.settle(shared(charges), actual, now),
    reset: (key, scope) => store.reset(key, scope),
  }
}

const isNumberOfServers = (value: unknown): boolean => isFunction(value) || isWholeFrom(1)(value)

/** The same charges with this server's shares of their limits. Shares are made once for each array of limits. */
function sharing(servers: number | (() => number)): (charges: readonly Charge[]) => readonly Charge[] {
  let shares = new WeakMap<readonly Limit[], readonly Limit[]>()
  let sharedBy = 1

  function sharesOf(limits: readonly Limit[]): readonly Limit[] {
    const known = shares.get(limits)
    if (known !== undefined) return known
    const made = limits.map((limit) => share(limit, sharedBy))
    shares.set(limits, made)
    return made
  }

  return (charges) => {
    const now = typeof servers === 'number' ? servers : servers()
    if (now !== sharedBy) shares = new WeakMap()
    sharedBy = now
    return charges.map((charge) => ({ ...charge, limits: sharesOf(charge.limits) }))
  }
}
