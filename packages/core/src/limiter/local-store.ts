import { checkOption, checkOptionNames, isFunction, isWholeFrom } from '../base/check.js'
import { hookError, type RailError, unexpected } from '../base/errors.js'
import { isPromise } from '../base/maybe-promise.js'
import { warn } from '../base/warning.js'
import type { LimiterOfStore, SynchronousStore } from '../bucket/store.js'
import type { Charge } from '../limit/charge.js'
import { checkedCharges } from '../limit/check-charges.js'
import type { Limit } from '../limit/limit.js'
import { share } from '../limit/share.js'
import { MemoryStore, type MemoryStoreOptions } from '../memory/memory-store.js'

/** The options of {@link localStore}. */
export interface LocalStoreOptions extends MemoryStoreOptions {
  /**
   * The number of servers that share each limit: a whole number from 1, or a function that returns it, or `undefined` while
   * it is not known. It is called when a limiter is made and for each request that is counted here. After a wrong answer the
   * last good number counts. While it is not known it is 1, so that each server enforces the whole limit.
   * @default the number that the limiter's source of limits knows, such as a control plane's, where its store is shared
   */
  readonly servers?: number | (() => number | undefined) | undefined
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
  checkOptionNames(options, ['servers', 'maxKeys', 'onError'], 'localStore()')
  const { servers, maxKeys, onError } = options
  checkOption('servers', servers, 'a whole number from 1, or a function that returns one', isNumberOfServers)
  const store = new MemoryStore({ maxKeys, onError })
  return sharing(store, numberOf(servers, warn), (limiter) => {
    const number = numberOf(servers ?? limiter.servers, limiter.report)
    number()
    return number
  })
}

const NUMBER = 'a whole number from 1, or undefined while it is not known'
const isNumber = isWholeFrom(1)
const isNumberOfServers = (value: unknown): boolean => isFunction(value) || isNumber(value)

/** A store that enforces shares, on the buckets of another. */
function sharing(
  store: MemoryStore,
  servers: () => number,
  serversFor: (limiter: LimiterOfStore) => () => number,
): SynchronousStore {
  const shared = sharesBy(servers)
  return {
    take: (charges, now, before) => store.take(shared(charges), now, before === undefined ? undefined : shared(before)),
    peek: (charges, now, before) => store.peek(shared(charges), now, before === undefined ? undefined : shared(before)),
    settle: (charges, actual, now) => store.settle(shared(charges), actual, now),
    reset: (key, scope) => store.reset(key, scope),
    forLimiter: (limiter) => sharing(store, serversFor(limiter), serversFor),
  }
}

/** Reads the number of servers, which is never an error on a request: a wrong answer is reported once, until a good one. */
function numberOf(servers: LocalStoreOptions['servers'], report: (error: unknown) => void): () => number {
  if (typeof servers !== 'function') return () => servers ?? 1
  let good = 1
  let isWrong = false
  return () => {
    let fault: RailError | undefined
    const assumed = `${good} is assumed.`
    try {
      const answer: unknown = servers()
      if (isPromise(answer)) answer.then(undefined, () => {})
      if (isNumber(answer)) good = answer as number
      else if (answer !== undefined) fault = unexpected('RAIL_BAD_SHARE', 'servers()', NUMBER, answer, assumed)
    } catch (cause) {
      fault = hookError('servers()', cause, assumed)
    }
    if (fault !== undefined && !isWrong) report(fault)
    isWrong = fault !== undefined
    return good
  }
}

/** The same charges with this server's shares of their limits. Shares are made once for each array of limits. */
function sharesBy(servers: () => number): (charges: readonly Charge[]) => readonly Charge[] {
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
    const now = servers()
    if (now !== sharedBy) shares = new WeakMap()
    sharedBy = now
    return checkedCharges(charges).map((charge) => ({ ...charge, limits: sharesOf(charge.limits) }))
  }
}
