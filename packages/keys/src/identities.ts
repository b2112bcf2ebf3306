/**
 * The identities of requests, kept where the framework keeps what belongs to one request. The garbage collector visits each
 * entry of a WeakMap, so that one for each request makes its pauses several times as long.
 */
export class Identities<Identity> {
  readonly #name = Symbol('rail.keys')
  /** For requests that have no place for it: web requests, and what cannot be extended. */
  readonly #others = new WeakMap<object, Identity>()

  get(request: object): Identity | undefined {
    const known = isHono(request) ? request.get(this.#name) : bagOf(request)?.[this.#name]
    // Several requests may share a bag by mistake. One of them must not get the identity of another.
    const { of, identity } = (known ?? {}) as Partial<Identified<Identity>>
    return of === request ? identity : this.#others.get(request)
  }

  set(request: object, identity: Identity): void {
    const kept: Identified<Identity> = { of: request, identity }
    if (isHono(request)) {
      request.set(this.#name, kept)
      return
    }
    const bag = bagOf(request)
    if (bag === undefined) this.#others.set(request, identity)
    else bag[this.#name] = kept
  }
}

interface Identified<Identity> {
  readonly of: object
  readonly identity: Identity
}

type Bag = Record<symbol, unknown>

/** What requests of several frameworks have. */
interface Loose {
  /** Express. */
  readonly res?: { readonly locals?: unknown } | null
  /** Koa. */
  readonly state?: unknown
  readonly headers?: { readonly get?: unknown } | null
}

/** Hono's context, whose variables are behind functions. */
interface HonoContext {
  readonly req: { readonly raw: object }
  get(name: symbol): unknown
  set(name: symbol, value: unknown): void
}

function isHono(request: object): request is HonoContext {
  const { req, set } = request as Partial<HonoContext>
  return typeof req?.raw === 'object' && typeof set === 'function'
}

function bagOf(request: object): Bag | undefined {
  const { res, state, headers } = request as Loose
  const bag = [res?.locals, state].find((it) => typeof it === 'object' && it !== null) ?? request
  const isWeb = bag === request && typeof headers?.get === 'function'
  return isWeb || !Object.isExtensible(bag) ? undefined : (bag as Bag)
}
