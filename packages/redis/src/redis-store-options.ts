import { RailError } from '@rail/core'
import { checkOption, checkOptionNames, shown } from '@rail/core/store'
import type { RunScript } from './connection.js'
import type { IoredisClient } from './ioredis-client.js'
import type { NodeRedisClient } from './node-redis-client.js'

/** What a Redis store takes: a client, or a way to run a script. */
export interface RedisStoreOptions {
  /** A client of node-redis (5, 6) or ioredis (5, 6), of one server or of a cluster. It stays the caller's, to connect and to close. */
  readonly client?: NodeRedisClient | IoredisClient | undefined
  /** Instead of `client`: runs a script by any other client. */
  readonly run?: RunScript | undefined
  /** What all keys begin with; without braces. @default 'rail:' */
  readonly prefix?: string | undefined
  /** How long one take may wait for Redis, in milliseconds from 1. Then the store has failed. @default 50 */
  readonly deadlineMs?: number | undefined
  /**
   * A text for each key: in a cluster, keys of one text are on one server, so that one request can charge them together. For
   * an OAuth client and its users, the client. @default the key itself
   */
  readonly tag?: ((key: string, scope: string) => string) | undefined
  /**
   * Refuses again without asking Redis, for up to a second, what Redis has just refused and would still refuse. What another
   * process gives back or resets meanwhile is seen up to a second late. @default false
   */
  readonly rememberRefusals?: boolean | undefined
  /** With `run`: whether keys may be on different servers. A client is asked itself. @default false */
  readonly cluster?: boolean | undefined
  /** For tests: time is the `now` that each call is given, not the server's. Keys then live an hour longer. @default false */
  readonly useGivenTime?: boolean | undefined
}

/** Checks what can be checked without asking Redis. @throws RailError when the store is made */
export function checkOptions(options: RedisStoreOptions): void {
  checkOptionNames(options, OPTION_NAMES, 'RedisStore')
  checkOption('run', options.run, 'a function', isFunction)
  checkOption('prefix', options.prefix, 'a text without braces', isPrefix)
  checkOption('deadlineMs', options.deadlineMs, 'a number of milliseconds from 1 to 60,000', isDeadline)
  checkOption('tag', options.tag, 'a function', isFunction)
  checkOption('rememberRefusals', options.rememberRefusals, 'true or false', isBoolean)
  checkOption('cluster', options.cluster, 'true or false', isBoolean)
  checkOption('useGivenTime', options.useGivenTime, 'true or false', isBoolean)
  if ((options.client === undefined) === (options.run === undefined)) {
    throw new RailError(
      'RAIL_BAD_OPTION',
      'RedisStore needs one of two: the option client, or run for any other client. Give one of them, and not both.',
    )
  }
  if (options.cluster !== undefined && options.run === undefined) {
    throw new RailError('RAIL_BAD_OPTION', 'The option cluster belongs to run; a client is asked itself. Leave it out.')
  }
}

/** What the option `tag` returned. @throws RailError `RAIL_BAD_OPTION` unless it is a text that says something */
export function checkedTag(tag: unknown): string {
  if (typeof tag === 'string' && tag !== '') return tag
  throw new RailError(
    'RAIL_BAD_OPTION',
    `What tag(key, scope) returns is a non-empty text, got ${shown(tag)}. Return one, such as the key.`,
  )
}

const OPTION_NAMES = ['client', 'run', 'prefix', 'deadlineMs', 'tag', 'rememberRefusals', 'cluster', 'useGivenTime']

const isFunction = (value: unknown): boolean => typeof value === 'function'
const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
const isPrefix = (value: unknown): boolean => typeof value === 'string' && !/[{}]/.test(value)
const isDeadline = (value: unknown): boolean => typeof value === 'number' && value >= 1 && value <= 60_000
