import { type Clock, type Duration, durationMs, type MaybePromise, type PlanDocument, RailError } from '@rail/core'
import { checkOption, checkOptionNames, warn } from '@rail/core/store'
import { type Schedule, unrefSchedule } from '../base/schedule.js'
import { checkedUrl } from './transport.js'

/** The options of `syncPlans`. */
export interface SyncOptions {
  /** The control plane's address, such as `https://rail.internal`. */
  readonly url: string | URL
  /**
   * A token with the scope `sync`, or a function that returns it: called for each exchange, so that a new token needs no
   * restart. It is sent to `url` only, and never stored or logged.
   */
  readonly token: string | (() => MaybePromise<string>)
  /**
   * The limits of a customer who is not in the control plane's document: none until the control plane adds them, or those of
   * the default plan at once. @default 'no-limit'
   */
  readonly newCustomers?: 'no-limit' | 'default-plan' | undefined
  /** The path of a file with the last answer, for a start while the control plane is unavailable. @default none */
  readonly copy?: string | undefined
  /** The plans in force while there is neither an answer nor a copy. @default none: no limits, with a warning */
  readonly fallback?: PlanDocument | undefined
  /** How long `ready()` waits for the first answer. @default '2s' */
  readonly readyWithin?: Duration | undefined
  /** Whether `close()` makes the server leave, so that the shares of the others grow at once. @default true */
  readonly leaveOnClose?: boolean | undefined
  /** The most time for one exchange, and for `close()`. @default '10s' */
  readonly timeout?: Duration | undefined
  /** Whether the token may be sent over plain http to another machine. @default false */
  readonly allowPlainHttp?: boolean | undefined
  /**
   * The most customers counted between two reports; their keys may have 64 characters each on average. The requests of other
   * customers are reported as `dropped`. @default 100_000
   */
  readonly mostCustomers?: number | undefined
  /**
   * Called with errors, at most once a minute for each kind, and when what failed works again. `() => {}` silences them.
   * @default one warning for each code and minute: process.emitWarning
   */
  readonly onError?: ((error: RailError) => void) | undefined
  /** Milliseconds; for tests. Measures times, and is the epoch time too. @default performance.now, and Date.now */
  readonly clock?: Clock | undefined
  /** Timers; for tests. @default setTimeout, unref'd */
  readonly schedule?: Schedule | undefined
  /** From 0 to 1; for tests. @default Math.random */
  readonly random?: (() => number) | undefined
}

/** The checked options, with their defaults. */
export type SyncSettings = ReturnType<typeof settingsOf>

const isFunction = (value: unknown): boolean => typeof value === 'function'
const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
const isNonEmpty = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isCount = (value: unknown): boolean => typeof value === 'number' && Number.isSafeInteger(value) && value >= 1

const CHECKS: readonly (readonly [name: keyof SyncOptions, expected: string, passes: (value: unknown) => boolean])[] = [
  ['newCustomers', "'no-limit' or 'default-plan'", (value) => value === 'no-limit' || value === 'default-plan'],
  ['copy', 'the path of a file', isNonEmpty],
  ['leaveOnClose', 'true or false', isBoolean],
  ['allowPlainHttp', 'true or false', isBoolean],
  ['mostCustomers', 'a whole number of 1 or more', isCount],
  ['onError', 'a function', isFunction],
  ['clock', 'a function that returns milliseconds', isFunction],
  ['schedule', 'a function', isFunction],
  ['random', 'a function', isFunction],
]

const NAMES = ['url', 'token', ...CHECKS.map(([name]) => name), 'fallback', 'readyWithin', 'timeout']

/** Checks options and fills in defaults. @throws RailError `RAIL_BAD_OPTION`, `RAIL_UNKNOWN_OPTION`, `RAIL_BAD_DURATION` */
export function settingsOf(options: SyncOptions) {
  checkOptionNames(options, NAMES, 'syncPlans()')
  for (const [name, expected, passes] of CHECKS) checkOption(name, options[name], expected, passes)
  const { newCustomers = 'no-limit', leaveOnClose = true, allowPlainHttp = false, mostCustomers = 100_000 } = options
  const { readyWithin = '2s', timeout = '10s', onError = warn, random = Math.random } = options
  const { clock = () => performance.now(), clock: epochClock = Date.now, schedule = unrefSchedule } = options
  return {
    url: checkedUrl(options.url, allowPlainHttp),
    readToken: tokenReader(options.token),
    newCustomers,
    copy: options.copy,
    fallback: options.fallback,
    readyWithinMs: durationMs(readyWithin),
    timeoutMs: durationMs(timeout),
    leaveOnClose,
    mostCustomers,
    onError,
    clock,
    epochClock,
    schedule,
    random,
  }
}

function tokenReader(token: unknown): () => MaybePromise<string> {
  if (typeof token !== 'function') {
    const checked = checkedToken(token, 'token', 'Check that the environment variable is set.')
    return () => checked
  }
  return async () => checkedToken(await token(), 'token()', 'Return the token as a string.')
}

/** A token must fit in a header. The error does not show the value: it may be a token. */
function checkedToken(token: unknown, subject: string, toDo: string): string {
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token
  const got = typeof token === 'string' ? (token === '' ? 'an empty string' : 'other characters') : typeof token
  throw new RailError('RAIL_BAD_OPTION', `${subject}: expected printable ASCII without spaces, got ${got}. ${toDo}`)
}
