import { type Clock, type Limit, limit, type MaybePromise, monotonicClock, RailError } from '@rail/core'
import { checkOption, checkOptionNames, unexpected, warn } from '@rail/core/adapter'
import { checkedLimits, readClock } from '@rail/core/store'
import { isIdentity } from './identity.js'
import type { KeyedRequest, KeyHeader } from './request.js'

/** Where identities come from: an object with one for each hash, or a function that finds one by its hash. */
export type KnownKeys<Identity> =
  | {
      /** Identities by the hash of their key. A known key passes whatever else comes from its address. */
      readonly keys: Readonly<Record<string, Identity>>
      readonly lookup?: undefined
      readonly whenBlocked?: undefined
    }
  | {
      /**
       * Returns the identity of a key by its hash, or `null` for an unknown key; anything else is an error. Called for every
       * request with a key, but once at a time for one key. One that takes longer than 10 seconds fails with
       * `RAIL_LOOKUP_LATE`.
       */
      readonly lookup: (hash: string) => MaybePromise<Identity | null>
      readonly keys?: undefined
      /**
       * What becomes of a key that was not found lately, when its address has used up its failed checks. `'refuse'`: 429; the
       * price is that a new valid key waits. `'lookup'`: it is looked up; the price is that guesses are not limited to any
       * number of look-ups. @default 'refuse'
       */
      readonly whenBlocked?: WhenBlocked | undefined
    }

export type WhenBlocked = 'refuse' | 'lookup'

/** The options of {@link apiKeys}. */
export type ApiKeysOptions<Identity, Request extends KeyedRequest> = KnownKeys<Identity> & {
  /**
   * The key that failed checks are counted under: the caller's address, through core's `addressKey`. (The owner of an IPv6
   * network has 2^64 addresses; `addressKey` counts them as one.) Behind a proxy, take the address from a header that the
   * proxy sets, and trust no other. `null`: failed checks of this request are not counted.
   */
  readonly address: (request: Request) => string | null
  /** The header that contains the key. @default both, `Authorization` first */
  readonly header?: KeyHeader | undefined
  /** The limits on failed checks of one address. @default 10 a minute */
  readonly failures?: readonly Limit[] | undefined
  /**
   * Called with errors that do not stop a request: `RAIL_PROXY_ADDRESS`. Errors that it throws are dropped.
   * @default one warning: process.emitWarning, or console.warn
   */
  readonly onError?: ((error: unknown) => void) | undefined
  /** Milliseconds; for tests. @default monotonic */
  readonly clock?: Clock | undefined
}

/** Options: each read once, checked, and with its default. */
export function checkedOptions<Identity, Request extends KeyedRequest>(options: ApiKeysOptions<Identity, Request>) {
  checkOptionNames(options, NAMES, 'apiKeys()')
  const { address, header, failures, onError = warn, clock = monotonicClock } = options
  if (address === undefined) throw unexpected('RAIL_BAD_OPTION', 'address', 'a function', address, WRITE_ADDRESS)
  checkOption('address', address, 'a function', isFunction, WRITE_ADDRESS)
  checkOption('header', header, "'authorization' or 'x-api-key'", isOneOf('authorization', 'x-api-key'))
  checkOption('onError', onError, 'a function', isFunction)
  checkOption('clock', clock, 'a function that returns milliseconds', isFunction)
  return {
    source: sourceOf(options),
    failures:
      failures === undefined ? [limit({ name: 'failed_key_checks', tokens: 10, per: '1m' })] : checked(failures),
    address,
    header,
    onError,
    now: (): number => readClock(clock),
  }
}

function sourceOf<Identity>({ keys, lookup, whenBlocked }: KnownKeys<Identity>) {
  if ((keys === undefined) === (lookup === undefined))
    throw wrong(`apiKeys(): expected keys or lookup, got ${keys === undefined ? 'neither' : 'both'}. Give one of them.`)
  checkOption('lookup', lookup, 'a function', isFunction, 'Write lookup: (hash) => identityOf(hash).')
  checkOption('whenBlocked', whenBlocked, "'refuse' or 'lookup'", isOneOf('refuse', 'lookup'))
  if (lookup !== undefined) return { lookup, whenBlocked: whenBlocked ?? 'refuse' }
  if (whenBlocked !== undefined)
    throw wrong('whenBlocked: expected lookup beside it, got keys. Leave it out: a key in keys always passes.')
  return { known: checkedKeys(keys) }
}

function checkedKeys<Identity>(keys: Readonly<Record<string, Identity>>): ReadonlyMap<string, Identity> {
  if (keys instanceof Map)
    throw wrong(
      'keys: expected an object of hash and identity, got a Map. Write lookup: (hash) => map.get(hash) ?? null.',
    )
  checkOption('keys', keys, 'an object of hash and identity', isTable, WRITE_KEYS)
  const known = new Map(Object.entries(keys))
  for (const [hash, identity] of known) {
    // The value stays out of the message: it may be a key.
    if (!/^[0-9a-f]{64}$/.test(hash))
      throw wrong(`keys: expected hashes of hashKey(), got something else. ${WRITE_KEYS}`)
    checkOption(`keys['${hash.slice(0, 8)}…']`, identity ?? null, 'an identity', isIdentity, WRITE_IDENTITY)
  }
  return known
}

function checked(given: readonly Limit[]): readonly Limit[] {
  checkOption('failures', given, OF_COST, Array.isArray)
  const failures = checkedLimits([...given], 'failures')
  checkOption('failures', failures, OF_COST, countCost)
  return failures
}

const OF_COST = "an array of limits that count cost, not 'requests'"
const NAMES = ['keys', 'lookup', 'whenBlocked', 'address', 'header', 'failures', 'onError', 'clock']
const WRITE_ADDRESS = 'Write address: (request) => addressKey(request.ip).'
const WRITE_KEYS = 'Write { [hashKey(key)]: identity }.'
const WRITE_IDENTITY = "Write { id: '…' } or a string."

function wrong(message: string): RailError {
  return new RailError('RAIL_BAD_OPTION', message)
}

const isFunction = (value: unknown): boolean => typeof value === 'function'
const isOneOf =
  (...values: readonly unknown[]) =>
  (value: unknown): boolean =>
    values.includes(value)
/** A Set or an array has no properties that are hashes: as a table, every key would be unknown. */
const isTable = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(Symbol.iterator in value)
const countCost = (limits: readonly Limit[]): boolean => limits.every(({ counts }) => counts === 'cost')
