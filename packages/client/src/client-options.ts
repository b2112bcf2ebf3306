import { type Clock, type Duration, durationMs, monotonicClock } from '@rail/core'
import { checkOption, checkOptionNames, unexpected } from '@rail/core/adapter'
import type { BackoffOptions } from './backoff.js'
import type { Call, Input, KeyMaker } from './call.js'
import type { Hooks } from './hooks.js'
import { systemTimer, type Timer } from './timer.js'

/** A `fetch`: the runtime's, a wrapped one, or a client. */
export type Fetch = (input: Input, init?: RequestInit) => Promise<Response>

/** Options of {@link createClient}. */
export interface ClientOptions extends Hooks {
  /** The `fetch` that sends requests. @default the runtime's */
  readonly fetch?: Fetch | undefined
  /**
   * A name for the calls that share limits at the server: calls of one scope wait for each other. Give each credential, and
   * each route with limits of its own, a scope of its own. @default the URL's origin
   */
  readonly scope?: ((call: Call) => string) | undefined
  /** Whether to stay under the limits in responses. `false`: the client waits only after a refusal. @default true */
  readonly pace?: boolean | undefined
  /**
   * The part of a quota, 0 to 1, below which requests are spread over the time until it resets. While more is left, requests
   * are sent at once. @default 0.2
   */
  readonly reserve?: number | undefined
  /** The longest wait from the server; with a longer one a call fails at once. `Infinity`: no maximum. @default '2m' */
  readonly maxWait?: Duration | undefined
  /** The most calls of one scope that wait; others fail with `RAIL_QUEUE_FULL`. @default 1_000 */
  readonly maxQueue?: number | undefined
  /** The most retries of one call. @default 5 */
  readonly retries?: number | undefined
  /** The part of all requests that may be retries, 0 to 1. Retries after a 429 are not counted. @default 0.2 */
  readonly retryBudget?: number | undefined
  /** The retries that a client may make beyond its budget, for clients with few requests. @default 20 */
  readonly retryReserve?: number | undefined
  /** The wait without a wait from the server: random, up to `base * 2^n` and at most `cap`. @default { base: '500ms', cap: '30s' } */
  readonly backoff?: { readonly base?: Duration | undefined; readonly cap?: Duration | undefined } | undefined
  /** The part of a server's wait that may be added to it at random, 0 or more. It is never shortened. @default 0.25 */
  readonly jitter?: number | undefined
  /** The time that may be added even to a short wait, 1.5 times as long with each refusal in a row; 0: none. @default '5s' */
  readonly spread?: Duration | undefined
  /**
   * Whether a call may be repeated whose method is not idempotent and which has no `Idempotency-Key`. A request that failed
   * may have been carried out. @default no
   */
  readonly repeatable?: ((call: Call) => boolean) | undefined
  /**
   * Adds an `Idempotency-Key` to each POST and PATCH without one, the same for all its tries: a random one, or the result of
   * the function. The server must support the header, or a repeated write may be carried out twice. @default false
   */
  readonly idempotencyKey?: KeyMaker | undefined
  /** Problem types (RFC 9457) of a used-up quota: such a refusal fails at once with `RAIL_QUOTA_USED`. @default none */
  readonly quotaTypes?: readonly string[] | undefined
  /** Milliseconds; for tests. @default monotonic, performance.now */
  readonly clock?: Clock | undefined
  /** For tests. @default setTimeout */
  readonly timer?: Timer | undefined
  /** A function that returns 0 up to, but without, 1; for tests. @default Math.random */
  readonly random?: (() => number) | undefined
}

/** The checked options, with their defaults. */
export interface Settings extends Hooks {
  readonly fetch: Fetch
  readonly scope: ((call: Call) => string) | undefined
  readonly pace: boolean
  readonly reserve: number
  readonly maxWaitMs: number
  readonly maxQueue: number
  readonly retries: number
  readonly retryBudget: number
  readonly retryReserve: number
  readonly backoff: BackoffOptions
  readonly repeatable: ((call: Call) => boolean) | undefined
  readonly idempotencyKey: KeyMaker
  readonly quotaTypes: readonly string[]
  readonly now: () => number
  /** Milliseconds since 1970, or the user's clock if there is one. */
  readonly epoch: () => number
  /** The date in so many milliseconds. */
  readonly dateIn: (ms: number) => Date
  readonly timer: Timer
}

/** Checks options and adds defaults. @throws RailError for wrong options */
export function settingsOf(options: ClientOptions): Settings {
  checkOptionNames(options, OPTION_NAMES, 'createClient()')
  for (const [name, expected, passes] of CHECKS) checkOption(name, options[name], expected, passes)
  const {
    fetch = globalFetch,
    pace = true,
    reserve = 0.2,
    maxWait = '2m',
    maxQueue = 1_000,
    retries = 5,
    retryBudget = 0.2,
    retryReserve = 20,
    backoff = {},
    jitter = 0.25,
    spread = '5s',
    idempotencyKey = false,
    quotaTypes = [],
    clock,
    timer = systemTimer,
    random = Math.random,
  } = options
  checkOptionNames(backoff, ['base', 'cap'], 'backoff')
  const { base = '500ms', cap = '30s' } = backoff
  const epoch = clock ?? Date.now
  return {
    ...{ fetch, pace, reserve, maxQueue, retries, retryBudget, retryReserve, idempotencyKey, quotaTypes, timer },
    scope: options.scope,
    repeatable: options.repeatable,
    onWait: options.onWait,
    onRetry: options.onRetry,
    onGiveUp: options.onGiveUp,
    maxWaitMs: maxWait === Number.POSITIVE_INFINITY ? maxWait : durationMs(maxWait),
    backoff: {
      baseMs: durationMs(base),
      capMs: durationMs(cap),
      jitter,
      spreadMs: spread === 0 ? 0 : durationMs(spread),
      random,
    },
    now: () => checked((clock ?? monotonicClock)()),
    epoch,
    dateIn: (ms) => new Date(epoch() + ms),
  }
}

/** Looked up at each call, so that a `fetch` that is replaced later (by a test) is used. */
const globalFetch: Fetch = (input, init) => fetch(input, init)

function checked(now: number): number {
  if (Number.isFinite(now)) return now
  throw unexpected('RAIL_BAD_CLOCK', 'clock()', 'a finite number of milliseconds', now, 'Return them as Date.now does.')
}

const isFunction = (value: unknown): boolean => typeof value === 'function'
const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null
const isWhole = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0
const isPart = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= 1
const isPositive = (value: unknown): boolean => typeof value === 'number' && value >= 0 && Number.isFinite(value)
const areStrings = (value: unknown): boolean => Array.isArray(value) && value.every((type) => typeof type === 'string')

type Check = readonly [name: keyof ClientOptions, expected: string, passes: (value: unknown) => boolean]

const CHECKS: readonly Check[] = [
  ['fetch', 'a function like fetch', isFunction],
  ['scope', 'a function that returns a string', isFunction],
  ['pace', 'true or false', isBoolean],
  ['reserve', 'a number from 0 to 1', isPart],
  ['maxQueue', 'a whole number of 0 or more', isWhole],
  ['retries', 'a whole number of 0 or more', isWhole],
  ['retryBudget', 'a number from 0 to 1', isPart],
  ['retryReserve', 'a whole number of 0 or more', isWhole],
  ['backoff', 'an object { base, cap }', isObject],
  ['jitter', 'a number of 0 or more', isPositive],
  ['repeatable', 'a function', isFunction],
  ['idempotencyKey', 'true, false, or a function that returns a key', (value) => isBoolean(value) || isFunction(value)],
  ['quotaTypes', 'an array of problem types', areStrings],
  ['onWait', 'a function', isFunction],
  ['onRetry', 'a function', isFunction],
  ['onGiveUp', 'a function', isFunction],
  ['clock', 'a function that returns milliseconds', isFunction],
  ['timer', 'a function like setTimeout that returns a function to cancel', isFunction],
  ['random', 'a function like Math.random', isFunction],
]

const OPTION_NAMES = [...CHECKS.map(([name]) => name), 'maxWait', 'spread']
