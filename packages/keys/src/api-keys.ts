import {
  type Charge,
  type Clock,
  type Decision,
  type Field,
  type Limit,
  limit,
  type MaybePromise,
  MemoryStore,
  monotonicClock,
  RailError,
  refusalFor,
} from '@rail/core'
import { checkOption, checkOptionNames, isPromise, throwError, unexpected } from '@rail/core/adapter'
import { checkLimits, readClock } from '@rail/core/store'
import type { Checked, KeyRefusal } from './checked.js'
import { hashKey, sameHash } from './key.js'
import { expressMiddleware, fastifyHook, honoMiddleware, koaMiddleware } from './middleware.js'
import { type AddressedRequest, headerOf, type KeyedRequest } from './request.js'

/** Where identities come from: an object with one for each hash, or a function that finds one by its hash. */
export type KnownKeys<Identity> =
  | { readonly keys: Readonly<Record<string, Identity>>; readonly lookup?: undefined }
  | { readonly lookup: (hash: string) => MaybePromise<Identity | Unknown>; readonly keys?: undefined }

/** The result of a look-up for an unknown key. A look-up that only checks whether a key exists returns `false`. */
type Unknown = null | undefined | false

/** The options of {@link apiKeys}. */
export type ApiKeysOptions<Identity, Request extends KeyedRequest> = KnownKeys<Identity> & {
  /**
   * The key that failed checks are counted under: the caller's address, through core's `addressKey`. (The owner of an IPv6
   * network has 2^64 addresses; `addressKey` counts them as one.) Behind a proxy, take the address from a header that the
   * proxy sets, and trust no other. `null`: failed checks of this request are not counted.
   */
  readonly address: (request: Request) => string | null
  /** The header that contains the key. @default both, `Authorization` first */
  readonly header?: 'authorization' | 'x-api-key' | undefined
  /** The limits on failed checks of one address. @default 10 a minute */
  readonly failures?: readonly Limit[] | undefined
  /** Milliseconds; for tests. @default monotonic */
  readonly clock?: Clock | undefined
}

/** Checks API keys, in any framework. */
export interface ApiKeys<Identity, Request extends KeyedRequest> {
  /**
   * Checks a request's key. Nothing is stored for an unknown key: it makes no bucket, and is looked up each time.
   *
   * @throws RailError (or rejects with it) `RAIL_BAD_ADDRESS` where `address` returns neither a non-empty string nor `null`.
   * Errors of `address` and `lookup` are thrown as they are; a thrown value that is not an object becomes the cause of a
   * `RAIL_NOT_AN_ERROR`
   */
  check(request: Request): MaybePromise<Checked<Identity>>
  /**
   * The identity that a request's key belongs to, after a middleware or {@link check} has allowed the request. Made for
   * `identify`.
   *
   * @throws RailError `RAIL_NO_IDENTITY` for any other request, for instance when the limiter is mounted before the keys
   */
  of(request: object): Identity
  readonly express: ReturnType<typeof expressMiddleware<Request>>
  readonly fastify: ReturnType<typeof fastifyHook<Request>>
  readonly hono: ReturnType<typeof honoMiddleware<Request>>
  readonly koa: ReturnType<typeof koaMiddleware<Request>>
}

/**
 * Checks API keys before a limiter. Only hashes of keys are stored. An unknown key is answered 401 with `WWW-Authenticate`
 * (RFC 9110 section 11.6.1). An address that has used up its failed checks is answered 429 *before* its next key is looked
 * up. Parallel guesses are all counted: they leave a debt.
 *
 * @example
 * const keys = apiKeys({ keys: { [hashKey('key_demo')]: { id: 'acme', plan: 'free' } }, address: (req) => addressKey(req.ip) })
 * app.use(keys.express, rateLimit({ identify: (req) => keys.of(req).id, limits: [perSecond(10)] }))
 *
 * @throws RailError `RAIL_BAD_OPTION`, `RAIL_UNKNOWN_OPTION`, … for wrong options
 */
export function apiKeys<const Identity, Request extends KeyedRequest = AddressedRequest>(
  options: ApiKeysOptions<Identity, Request>,
): ApiKeys<Identity, Request> {
  checkOptions(options)
  const { address, header, clock = monotonicClock } = options
  const { failures = [limit({ name: 'failed_key_checks', tokens: 10, per: '1m' })] } = options
  const lookup = lookupOf(options)
  // In this process's memory on purpose: checking a key must not depend on another server.
  const store = new MemoryStore()
  const identities = new WeakMap<object, Identity>()

  function check(request: Request): MaybePromise<Checked<Identity>> {
    try {
      const checked = checkedOf(request)
      return isPromise(checked) ? checked.then(undefined, throwError) : checked
    } catch (thrown) {
      return throwError(thrown)
    }
  }

  function checkedOf(request: Request): MaybePromise<Checked<Identity>> {
    const key = keyOf(request, header)
    if (key === undefined) return { refusal: unauthorized(header, false) }
    const from = address(request)
    if (from !== null && (typeof from !== 'string' || from === '')) throw notAnAddress(from)
    const charges: Charge[] = from === null ? [] : [{ key: from, limits: failures, cost: 0 }]
    const oneMore = store.peek(
      charges.map((charge) => ({ ...charge, cost: 1 })),
      now(),
    )
    if (!oneMore.allowed) return { refusal: tooManyFailures(oneMore) }
    const checked = (identity: Identity | Unknown): Checked<Identity> => {
      if (identity === undefined || identity === null || identity === false) {
        store.settle(charges, 1, now())
        return { refusal: unauthorized(header, true) }
      }
      identities.set(request, identity)
      return { identity }
    }
    const found = lookup(hashKey(key))
    return isPromise(found) ? found.then(checked) : checked(found)
  }

  function now(): number {
    return readClock(clock)
  }

  return {
    check,
    of(request) {
      const identity = identities.get(request)
      if (identity !== undefined) return identity
      throw new RailError(
        'RAIL_NO_IDENTITY',
        "keys.of(): this request's API key was not checked. Mount keys.express (or fastify, hono, koa) before the limiter.",
      )
    },
    express: expressMiddleware(check),
    fastify: fastifyHook(check),
    hono: honoMiddleware(check),
    koa: koaMiddleware(check),
  }
}

function checkOptions(options: Partial<ApiKeysOptions<unknown, never>>): void {
  checkOptionNames(options, ['keys', 'lookup', 'address', 'header', 'failures', 'clock'], 'apiKeys()')
  const { keys, lookup, address, header, failures, clock } = options
  if (address === undefined) throw unexpected('RAIL_BAD_OPTION', 'address', 'a function', address, WRITE_ADDRESS)
  checkOption('address', address, 'a function', isFunction, WRITE_ADDRESS)
  if ((keys === undefined) === (lookup === undefined))
    throw wrong(`apiKeys(): expected keys or lookup, got ${keys === undefined ? 'neither' : 'both'}. Give one of them.`)
  checkOption('lookup', lookup, 'a function', isFunction, 'Write lookup: (hash) => identityOf(hash).')
  if (keys instanceof Map)
    throw wrong('keys: expected an object of hash and identity, got a Map. Write lookup: (hash) => map.get(hash).')
  checkOption('keys', keys, 'an object of hash and identity', isTable, WRITE_KEYS)
  for (const hash of Object.keys(keys ?? {})) {
    // The value stays out of the message: it may be a key.
    if (!/^[0-9a-f]{64}$/.test(hash))
      throw wrong(`keys: expected hashes of hashKey(), got something else. ${WRITE_KEYS}`)
  }
  checkOption('header', header, "'authorization' or 'x-api-key'", isHeader)
  checkOption('failures', failures, "an array of limits that count cost, not 'requests'", areOfCost)
  if (failures !== undefined) checkLimits(failures, 'failures')
  checkOption('clock', clock, 'a function that returns milliseconds', isFunction)
}

const WRITE_ADDRESS = 'Write address: (request) => addressKey(request.ip).'
const WRITE_KEYS = 'Write { [hashKey(key)]: identity }.'

function wrong(message: string): RailError {
  return new RailError('RAIL_BAD_OPTION', message)
}

const isFunction = (value: unknown): boolean => typeof value === 'function'
const isHeader = (value: unknown): boolean => value === 'authorization' || value === 'x-api-key'
/** A Set or an array has no properties that are hashes: as a table, every key would be unknown. */
const isTable = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(Symbol.iterator in value)
const areOfCost = (value: unknown): boolean =>
  Array.isArray(value) && value.every((failure: Partial<Limit> | null | undefined) => failure?.counts === 'cost')

function notAnAddress(from: unknown): RailError {
  const toDo = 'Return addressKey(request.ip), or null to count no failures.'
  return unexpected('RAIL_BAD_ADDRESS', 'address()', 'a non-empty string or null', from, toDo)
}

function lookupOf<Identity>({ keys, lookup }: KnownKeys<Identity>): (hash: string) => MaybePromise<Identity | Unknown> {
  if (lookup !== undefined) return lookup
  const known = new Map(Object.entries(keys).map(([hash, identity]) => [hash, { hash, identity }]))
  return (hash) => {
    const found = known.get(hash)
    return found !== undefined && sameHash(found.hash, hash) ? found.identity : undefined
  }
}

/** The key of a request: a bearer token (RFC 6750 section 2.1), or the whole of `X-API-Key`. */
function keyOf(request: KeyedRequest, header: 'authorization' | 'x-api-key' | undefined): string | undefined {
  const bearer =
    header === 'x-api-key' ? undefined : /^Bearer +(\S+) *$/i.exec(headerOf(request, 'authorization') ?? '')?.[1]
  return bearer ?? (header === 'authorization' ? undefined : headerOf(request, 'x-api-key') || undefined)
}

const NO_STORE: Field = { name: 'Cache-Control', value: 'no-store', merge: 'replace' }

function unauthorized(header: 'authorization' | 'x-api-key' | undefined, wasGiven: boolean): KeyRefusal {
  const scheme = header === 'x-api-key' ? 'ApiKey realm="api"' : 'Bearer realm="api"'
  // RFC 6750 section 3.1: no error code when the request has no key.
  const value = wasGiven && header !== 'x-api-key' ? `${scheme}, error="invalid_token"` : scheme
  return {
    status: 401,
    headers: [{ name: 'WWW-Authenticate', value, merge: 'replace' }, NO_STORE],
    type: 'application/json',
    body: JSON.stringify({ error: 'unauthorized' }),
  }
}

function tooManyFailures(decision: Decision): KeyRefusal {
  const { retryAfter, type, body } = refusalFor(decision)
  return {
    status: 429,
    headers: [{ name: 'Retry-After', value: String(retryAfter), merge: 'larger' }, NO_STORE],
    type,
    body,
  }
}
