import { RailError } from '@rail/core'
import { checkOption, checkOptionNames, unexpected } from '@rail/core/store'
import type { RunScript } from './connection.js'
import type { IoredisClient } from './ioredis-client.js'
import type { NodeRedisClient } from './node-redis-client.js'

/** The options of a {@link RedisStore}: a client, or a function that runs a script. */
export interface RedisStoreOptions {
  /** A client of node-redis (5, 6) or ioredis (5, 6), of one server or of a cluster. The caller connects and closes it. */
  readonly client?: NodeRedisClient | IoredisClient | undefined
  /** Instead of `client`: runs a script by any other client. */
  readonly run?: RunScript | undefined
  /** The beginning of all keys, without braces. @default 'rail:' */
  readonly prefix?: string | undefined
  /** How long a take waits for Redis, in milliseconds from 1 to 60,000. Then it fails. @default 50 */
  readonly deadlineMs?: number | undefined
  /**
   * The tag of a key. In a cluster, keys of one tag are on one server, so that one request can charge them together. For an
   * OAuth client and its users, return the client. @default the key itself
   */
  readonly tag?: ((key: string, scope: string) => string) | undefined
  /** Keeps keys in Redis as their SHA-256: for keys that nobody may read there, such as API keys. @default false */
  readonly hashKeys?: boolean | undefined
  /**
   * Refuses again without a command to Redis, for up to a second, what Redis has just refused and would still refuse. A reset
   * or a give-back by another process takes effect up to a second late. @default false
   */
  readonly rememberRefusals?: boolean | undefined
  /**
   * Called with `RAIL_REDIS_EVICTS`, once for each server, and `RAIL_FOREIGN_VALUE`, once a minute. Requests are decided all the
   * same. Failures of the store go to the limiter's `onError`. @default a warning
   */
  readonly onError?: ((error: unknown) => void) | undefined
  /** With `run`: whether keys may be on different servers. A client knows this by itself. @default false */
  readonly cluster?: boolean | undefined
  /** For tests: uses the `now` of each call and not the server's time. Keys then live an hour longer. @default false */
  readonly useGivenTime?: boolean | undefined
}

/** Checks the options. @throws RailError `RAIL_BAD_OPTION`, `RAIL_UNKNOWN_OPTION` */
export function checkOptions(options: RedisStoreOptions): void {
  checkOptionNames(options, OPTION_NAMES, 'RedisStore')
  checkOption('run', options.run, 'a function', isFunction)
  checkOption('prefix', options.prefix, 'a string without braces', isPrefix)
  checkOption('deadlineMs', options.deadlineMs, 'a number of milliseconds from 1 to 60,000', isDeadline)
  checkOption('tag', options.tag, 'a function', isFunction)
  checkOption('hashKeys', options.hashKeys, 'true or false', isBoolean)
  checkOption('onError', options.onError, 'a function', isFunction)
  checkOption('rememberRefusals', options.rememberRefusals, 'true or false', isBoolean)
  checkOption('cluster', options.cluster, 'true or false', isBoolean)
  checkOption('useGivenTime', options.useGivenTime, 'true or false', isBoolean)
  if ((options.client === undefined) === (options.run === undefined)) {
    throw new RailError(
      'RAIL_BAD_OPTION',
      `RedisStore: expected the option client or the option run, got ${options.run === undefined ? 'neither' : 'both'}.`,
    )
  }
  if (options.cluster !== undefined && options.run === undefined) {
    throw new RailError(
      'RAIL_BAD_OPTION',
      'cluster: expected only beside the option run, got it beside a client. Leave it out.',
    )
  }
}

/** Checks the return value of the option `tag`. @throws RailError `RAIL_BAD_OPTION` unless it is a string with content */
export function checkedTag(tag: unknown): string {
  if (typeof tag === 'string' && tag !== '') return tag
  throw unexpected('RAIL_BAD_OPTION', 'tag()', 'a non-empty string', tag, 'Return one, such as the key.')
}

const OPTION_NAMES = [
  'client',
  'run',
  'prefix',
  'deadlineMs',
  'tag',
  'hashKeys',
  'rememberRefusals',
  'onError',
  'cluster',
  'useGivenTime',
]

const isFunction = (value: unknown): boolean => typeof value === 'function'
const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
const isPrefix = (value: unknown): boolean => typeof value === 'string' && !/[{}]/.test(value)
const isDeadline = (value: unknown): boolean => typeof value === 'number' && value >= 1 && value <= 60_000
