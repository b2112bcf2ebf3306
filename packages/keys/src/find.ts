import type { Decision, MaybePromise } from '@rail/core'
import { attempt, chain, isPromise } from '@rail/core/adapter'
import type { FailedChecks } from './failed-checks.js'
import { LookUps } from './look-ups.js'
import type { WhenBlocked } from './options.js'
import { Turns } from './turns.js'

/** Finds the identity that a key belongs to, by the key's hash and the address that sent it. */
export type Find<Identity> = (hash: string, from: string | null) => MaybePromise<Found<Identity>>

/** An identity; or none, with the decision on an address that has used up its failed checks. */
export type Found<Identity> =
  | { readonly identity: Identity; readonly blocked?: undefined }
  | { readonly identity?: undefined; readonly blocked: Decision | undefined }

/** Finds keys in this process. That costs nothing, so a known key passes from any address. */
export function findIn<Identity>(known: ReadonlyMap<string, Identity>, failed: FailedChecks): Find<Identity> {
  return (hash, from) => {
    const identity = known.get(hash)
    return identity === undefined ? { blocked: failed.take(from) } : { identity }
  }
}

/**
 * Finds keys by look-ups that cost something, a token of the address each. The token of a key that is found is given back.
 * Keys that were found lately need none, and requests with one key share one look-up.
 */
export function findBy<Identity>(
  lookup: (hash: string) => MaybePromise<Identity | null>,
  whenBlocked: WhenBlocked,
  failed: FailedChecks,
): Find<Identity> {
  const lookUps = new LookUps(lookup)
  const turns = new Turns<Found<Identity>>((from) => failed.hasTokens(from))

  /** @param hasWaited Whether it has had its turn: it does not wait again. */
  function find(hash: string, from: string | null, hasWaited = false): MaybePromise<Found<Identity>> {
    const sameKey = lookUps.inFlight(hash)
    if (sameKey !== undefined) return sameKey.then((identity) => foundOf(identity))
    if (from === null || lookUps.hasFound(hash)) {
      return chain(lookUps.start(hash), (identity) => foundOf(identity, () => failed.take(from)))
    }
    const blocked = failed.take(from)
    if (blocked === undefined) return withToken(hash, from)
    const turn = hasWaited ? undefined : turns.wait(from, hash, () => find(hash, from, true))
    if (turn !== undefined || whenBlocked === 'refuse') return turn ?? { blocked }
    return chain(lookUps.start(hash), (identity) => foundOf(identity, () => blocked))
  }

  function withToken(hash: string, from: string): MaybePromise<Found<Identity>> {
    const found = attempt(
      () => lookUps.start(hash),
      (identity) => {
        if (identity !== null) failed.giveBack(from)
        return foundOf(identity)
      },
      (error) => {
        failed.giveBack(from)
        throw error
      },
    )
    return isPromise(found) ? turns.during(from, found) : found
  }

  return (hash, from) => find(hash, from)
}

function foundOf<Identity>(
  identity: Identity | null,
  blocked: () => Decision | undefined = () => undefined,
): Found<Identity> {
  return identity === null ? { blocked: blocked() } : { identity }
}
