import { type Clock, type Duration, durationMs, monotonicClock, RailError } from '@rail/core'
import { checkOption, checkOptionNames } from '@rail/core/adapter'
import type { BackoffOptions } from './backoff.js'
import type { Call, Input, KeyMaker } from './call.js'
import type { Hooks } from './hooks.js'
import { systemTimer, type Timer } from './timer.js'

/** A `fetch`: the runtime's, a wrapped one, or a client. */
export type Fetch = (input: Input, init?: RequestInit) => Promise<Response>

/** Options of {@link createClient}. */
export interface ClientOptions extends Hooks {
  /** The `fetch` behind. @default the runtime's */
  readonly fetch?: Fetch | undefined
  /**
   * What shares limits at the server, as a text: calls of one scope wait for each other. With several credentials, or
   * routes that are limited apart, it should tell them apart. @default the URL's origin
   */
  readonly scope?: ((call: Call) => string) | undefined
  /** Whether to stay under the limits that responses tell. Without it, the first refusal is what tells. @default true */
  readonly pace?: boolean | undefined
  /**
   * The part of a quota, 0 to 1, that is kept for later: as long as more is left, requests go at once, below they are
   * spread over the time until it resets. @default 0.2
   */
  readonly reserve?: number | undefined
  /** A wait that the server tells is given up at once if it is longer than this; `Infinity`: never. @default '2m' */
  readonly maxWait?: Duration | undefined
  /** How many calls of one scope may wait; more fail with `RAIL_QUEUE_FULL`. @default 1_000 */
  readonly maxQueue?: number | undefined
  /** How many times one call is tried again at most. @default 5 */
  readonly retries?: number | undefined
  /** The part of all requests that may be retries, those after a 429 apart. @default 0.2 */
  readonly retryBudget?: number | undefined
  /** Retries that can be saved up: a client that has made few requests may make so many beyond its budget. @default 20 */
  readonly retryReserve?: number | undefined
  /** How to wait where the server does not say: at random up to `base * 2^n`, at most `cap`. @default { base: '500ms', cap: '30s' } */
  readonly backoff?: { readonly base?: Duration | undefined; readonly cap?: Duration | undefined } | undefined
  /** The part of a wait that the server tells which may be added to it at random; it is never shortened. @default 0.25 */
  readonly jitter?: number | undefined
  /** What may be added to it however short it is, half as much again with each refusal in a row; 0: nothing. @default '5s' */
  readonly spread?: Duration | undefined
  /**
   * Whether a call may be repeated though its method is not idempotent and it has no `Idempotency-Key`. A request that
   * failed may have been carried out. @default no
   */
  readonly repeatable?: ((call: Call) => boolean) | undefined
  /**
   * Adds an `Idempotency-Key` to each POST and PATCH that has none, the same for all its tries: a random one, or what the
   * function returns. The server must know the header, else a repeated write may be carried out twice. @default false
   */
  readonly idempotencyKey?: KeyMaker | undefined
  /** Problem types (RFC 9457) that mean a quota is used up: such a refusal fails at once with `RAIL_QUOTA_USED`. @default none */
  readonly quotaTypes?: readonly string[] | undefined
  /** Milliseconds; for tests. @default monotonic, performance.now */
  readonly clock?: Clock | undefined
  /** For tests. @default setTimeout */
  readonly timer?: Timer | undefined
  /** From 0 up to but not including 1; for tests. @default Math.random */
  readonly random?: (() => number) | undefined
}

/** Options checked and filled in. */
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
  /** Milliseconds since 1970; the reading of the user's clock where there is one. */
  readonly epoch: () => number
  /** The moment that is so many milliseconds away. */
  readonly dateIn: (ms: number) => Date
  readonly timer: Timer
}

/** Checks options and fills in defaults. @throws RailError for anything wrong */
export function settingsOf(options: ClientOptions): Settings {
  checkOptionNames(options, OPTION_NAMES, 'A client')
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
  checkOptionNames(backoff, ['base', 'cap'], 'The option backoff')
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

/** Looked up at each call, so that a `fetch` that is replaced later, as tests do, is the one that is used. */
const globalFetch: Fetch = (input, init) => fetch(input, init)

function checked(now: number): number {
  if (Number.isFinite(now)) return now
  throw new RailError(
    'RAIL_BAD_CLOCK',
    `A clock returns milliseconds, a finite number; it returned ${String(now)}. Return them as Date.now does.`,
  )
}

const isFunction = (value: unknown): boolean => typeof value === 'function'
const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null
const isWhole = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0
const isPart = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= 1
const isPositive = (value: unknown): boolean => typeof value === 'number' && value >= 0 && Number.isFinite(value)
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((type) => typeof type === 'string')

type Check = readonly [name: keyof ClientOptions, expected: string, passes: (value: unknown) => boolean]

const CHECKS: readonly Check[] = [
  ['fetch', 'a function like fetch', isFunction],
  ['scope', 'a function that returns a text', isFunction],
  ['pace', 'true or false', isBoolean],
  ['reserve', 'a number from 0 to 1', isPart],
  ['maxQueue', 'a whole number from 0', isWhole],
  ['retries', 'a whole number from 0', isWhole],
  ['retryBudget', 'a number from 0 to 1', isPart],
  ['retryReserve', 'a whole number from 0', isWhole],
  ['backoff', 'an object { base, cap }', isObject],
  ['jitter', 'a number from 0', isPositive],
  ['repeatable', 'a function', isFunction],
  ['idempotencyKey', 'true, false, or a function that returns a key', (value) => isBoolean(value) || isFunction(value)],
  ['quotaTypes', 'an array of problem types', isTexts],
  ['onWait', 'a function', isFunction],
  ['onRetry', 'a function', isFunction],
  ['onGiveUp', 'a function', isFunction],
  ['clock', 'a function that returns milliseconds', isFunction],
  ['timer', 'a function like setTimeout that returns what cancels it', isFunction],
  ['random', 'a function like Math.random', isFunction],
]

const OPTION_NAMES = [...CHECKS.map(([name]) => name), 'maxWait', 'spread']
