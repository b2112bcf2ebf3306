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
import { checkOption, checkOptionNames, isPromise, shown, throwError } from '@rail/core/adapter'
import { checkLimits, readClock } from '@rail/core/store'
import { hashKey, sameHash } from './key.js'
import { expressMiddleware, fastifyHook, honoMiddleware, koaMiddleware } from './middleware.js'
import { headerOf, type KeyedRequest } from './request.js'

/** Where keys are known from: a table of hashes, or a function that finds one; `false` from it is a key that is unknown, too. */
export type KnownKeys<Identity> =
  | { readonly keys: Readonly<Record<string, Identity>>; readonly lookup?: undefined }
  | { readonly lookup: (hash: string) => MaybePromise<Identity | Unknown>; readonly keys?: undefined }

/** What a look-up finds for a key that nobody has. `false` is what one gives that only asks whether there is such a key. */
type Unknown = null | undefined | false

/** The options of {@link apiKeys}. */
export type ApiKeysOptions<Identity, Request extends KeyedRequest> = KnownKeys<Identity> & {
  /**
   * Whom failed checks are counted under: the caller's address, as core's `addressKey` makes a key of it. (A bare IPv6
   * address is one of 2^64 that its owner can guess from.) Behind a proxy take it from what the proxy says, and trust no
   * other. `null` where there is none: then failed checks are not counted.
   */
  readonly address: (request: Request) => string | null
  /** Which header fields may hold the key, in this order. @default both */
  readonly header?: 'authorization' | 'x-api-key' | undefined
  /** How many failed checks an address may make. @default 10 a minute */
  readonly failures?: readonly Limit[] | undefined
  /** Milliseconds; for tests. @default monotonic */
  readonly clock?: Clock | undefined
}

/** What a check came to: whose key it is, or what to answer. */
export type Checked<Identity> =
  | { readonly identity: Identity; readonly refusal?: undefined }
  | { readonly identity?: undefined; readonly refusal: KeyRefusal }

/** What a request without a known key is answered with. */
export interface KeyRefusal {
  /** 401: no key, or an unknown one. 429: too many unknown ones from this address. */
  readonly status: 401 | 429
  readonly headers: readonly Field[]
  readonly type: string
  readonly body: string
}

/** Checks API keys, in any framework. */
export interface ApiKeys<Identity, Request extends KeyedRequest> {
  /**
   * Checks a request's key. Unknown keys make no bucket and are looked up once each: nothing of them is kept.
   *
   * @throws RailError (or rejects with it) `RAIL_BAD_ADDRESS` where `address` returns what is neither a text nor `null`; what
   * `address` and `lookup` throw themselves is thrown on, as `RAIL_NOT_AN_ERROR` where it is no error
   */
  check(request: Request): MaybePromise<Checked<Identity>>
  /**
   * Whose key a request came with, once a middleware or {@link check} has let it through: what `identify` wants.
   *
   * @throws RailError `RAIL_NO_IDENTITY` for a request that was not: it is what a limiter mounted before authentication is
   */
  of(request: object): Identity
  readonly express: ReturnType<typeof expressMiddleware<Request>>
  readonly fastify: ReturnType<typeof fastifyHook<Request>>
  readonly hono: ReturnType<typeof honoMiddleware<Request>>
  readonly koa: ReturnType<typeof koaMiddleware<Request>>
}

/**
 * The last safe step before a limiter: whose key is it? Keys are stored as hashes, an unknown key is answered 401 with
 * `WWW-Authenticate` (RFC 9110 section 11.6.1), and an address that guesses is answered 429 *before* its next key is
 * looked at. Guesses made at once are all paid for: they leave a debt.
 *
 * @example
 * const keys = apiKeys({ keys: { [hashKey('key_demo')]: { id: 'acme', plan: 'free' } }, address: (req) => addressKey(req.ip) })
 * app.use(keys.express, rateLimit({ identify: (req) => keys.of(req).id, limits: [perSecond(10)] }))
 *
 * @throws RailError `RAIL_BAD_OPTION`, `RAIL_UNKNOWN_OPTION`, … for wrong options
 */
export function apiKeys<Identity, Request extends KeyedRequest = KeyedRequest>(
  options: ApiKeysOptions<Identity, Request>,
): ApiKeys<Identity, Request> {
  checkOptions(options)
  const { address, header, clock = monotonicClock } = options
  const { failures = [limit({ name: 'failed_key_checks', tokens: 10, per: '1m' })] } = options
  const lookup = lookupOf(options)
  // In this process's memory on purpose: whether a key is known must not hang on another server.
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
    const room = store.peek(
      charges.map((charge) => ({ ...charge, cost: 1 })),
      now(),
    )
    if (!room.allowed) return { refusal: tooMany(room) }
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
        'This request has not been through the check of its API key. Mount the keys before what asks whose they are.',
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
  if (address === undefined)
    wrong(
      'The option address is required: a function that returns the address of the caller, or null. Write address: (request) => request.ip.',
    )
  checkOption('address', address, 'a function', isFunction, 'Write address: (request) => request.ip.')
  if ((keys === undefined) === (lookup === undefined)) wrong('Give either keys or lookup, not both.')
  checkOption('lookup', lookup, 'a function', isFunction, 'Write lookup: (hash) => identityOf(hash).')
  checkOption('keys', keys, 'an object with an identity for each hash', isTable, 'Write { [hashKey(key)]: identity }.')
  for (const hash of Object.keys(keys ?? {})) {
    if (!/^[0-9a-f]{64}$/.test(hash))
      wrong(
        'keys is a table of SHA-256 hashes in lower-case hexadecimal, as hashKey() makes them, not of keys. Write { [hashKey(key)]: identity }.',
      )
  }
  checkOption('header', header, "'authorization' or 'x-api-key'", isHeader)
  checkOption('failures', failures, "an array of limits that count cost, not 'requests'", areOfCost)
  if (failures !== undefined) checkLimits(failures, 'The option failures')
  checkOption('clock', clock, 'a function that returns milliseconds', isFunction)
}

function wrong(message: string): never {
  throw new RailError('RAIL_BAD_OPTION', message)
}

const isFunction = (value: unknown): boolean => typeof value === 'function'
const isHeader = (value: unknown): boolean => value === 'authorization' || value === 'x-api-key'
/** A Map or an array has no keys of its own that are hashes: taken for a table, it would know nobody. */
const isTable = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(Symbol.iterator in value)
const areOfCost = (value: unknown): boolean =>
  Array.isArray(value) && value.every((failure: Partial<Limit> | null | undefined) => failure?.counts === 'cost')

function notAnAddress(from: unknown): RailError {
  return new RailError(
    'RAIL_BAD_ADDRESS',
    `What address(request) returns is a text, or null where there is no address, got ${shown(from)}. Return null for undefined.`,
  )
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

function unauthorized(header: 'authorization' | 'x-api-key' | undefined, given: boolean): KeyRefusal {
  const scheme = header === 'x-api-key' ? 'ApiKey realm="api"' : 'Bearer realm="api"'
  // RFC 6750 section 3.1: no error where no key was given.
  const value = given && header !== 'x-api-key' ? `${scheme}, error="invalid_token"` : scheme
  return {
    status: 401,
    headers: [{ name: 'WWW-Authenticate', value, merge: 'replace' }, NO_STORE],
    type: 'application/json',
    body: JSON.stringify({ error: 'unauthorized' }),
  }
}

function tooMany(decision: Decision): KeyRefusal {
  const { retryAfter, type, body } = refusalFor(decision)
  return {
    status: 429,
    headers: [{ name: 'Retry-After', value: String(retryAfter), merge: 'larger' }, NO_STORE],
    type,
    body,
  }
}
