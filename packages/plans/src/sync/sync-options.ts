import { type Clock, type Duration, durationMs, type PlanDocument, RailError } from '@rail/core'
import { checkOption, checkOptionNames } from '@rail/core/store'
import { warn } from '../base/hooks.js'
import { type Schedule, unrefSchedule } from '../base/schedule.js'
import { checkedUrl } from './transport.js'

/** The options of `syncPlans`. */
export interface SyncOptions {
  /** The control plane's address, such as `https://rail.internal`. */
  readonly url: string | URL
  /** A token with the scope `sync`. Sent to `url` and nowhere else, never written down or logged. */
  readonly token: string
  /**
   * What holds for a customer who is not in the control plane's document: no limit until it has one for them, or the
   * default plan's at once. @default 'no-limit'
   */
  readonly newCustomers?: 'no-limit' | 'default-plan' | undefined
  /** Where the last answer is kept, for a start while the control plane is away. @default none: nothing is kept */
  readonly copy?: string | undefined
  /** What holds while there is neither an answer nor a copy. @default no limits, with a warning */
  readonly fallback?: PlanDocument | undefined
  /** How long `ready()` waits for the first answer. @default '2s' */
  readonly readyWithin?: Duration | undefined
  /** Whether `close()` says goodbye, so that the others' shares grow at once. @default true */
  readonly leaveOnClose?: boolean | undefined
  /** How long one exchange may take, and `close()`. @default '10s' */
  readonly timeout?: Duration | undefined
  /** Whether the token may be sent over plain http to another machine. @default false */
  readonly allowPlainHttp?: boolean | undefined
  /**
   * How many customers are counted between two reports, with 64 characters of key to each on average; requests of others are
   * counted as dropped. @default 100_000
   */
  readonly mostCustomers?: number | undefined
  /** Told of what went wrong, the same thing at most once a minute. @default process.emitWarning */
  readonly onError?: ((error: RailError) => void) | undefined
  /** Milliseconds; for tests. Serves both for waits and for moments. @default performance.now, and Date.now */
  readonly clock?: Clock | undefined
  /** Timers; for tests. @default setTimeout, unref'd */
  readonly schedule?: Schedule | undefined
  /** From 0 to 1; for tests. @default Math.random */
  readonly random?: (() => number) | undefined
}

/** The options, checked and with their defaults. */
export type SyncSettings = ReturnType<typeof settingsOf>

const isFunction = (value: unknown): boolean => typeof value === 'function'
const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isCount = (value: unknown): boolean => typeof value === 'number' && Number.isSafeInteger(value) && value >= 1

const CHECKS: readonly (readonly [name: keyof SyncOptions, expected: string, passes: (value: unknown) => boolean])[] = [
  ['newCustomers', "'no-limit' or 'default-plan'", (value) => value === 'no-limit' || value === 'default-plan'],
  ['copy', 'the path of a file', isText],
  ['leaveOnClose', 'true or false', isBoolean],
  ['allowPlainHttp', 'true or false', isBoolean],
  ['mostCustomers', 'a whole number from 1', isCount],
  ['onError', 'a function', isFunction],
  ['clock', 'a function that returns milliseconds', isFunction],
  ['schedule', 'a function', isFunction],
  ['random', 'a function', isFunction],
]

const NAMES = ['url', 'token', ...CHECKS.map(([name]) => name), 'fallback', 'readyWithin', 'timeout']

/** Checks options and fills in defaults. @throws RailError `RAIL_BAD_OPTION`, `RAIL_UNKNOWN_OPTION`, `RAIL_BAD_DURATION` */
export function settingsOf(options: SyncOptions) {
  checkOptionNames(options, NAMES, 'syncPlans')
  for (const [name, expected, passes] of CHECKS) checkOption(name, options[name], expected, passes)
  const { newCustomers = 'no-limit', leaveOnClose = true, allowPlainHttp = false, mostCustomers = 100_000 } = options
  const { readyWithin = '2s', timeout = '10s', onError = warn, random = Math.random } = options
  const { clock = () => performance.now(), clock: epochClock = Date.now, schedule = unrefSchedule } = options
  return {
    url: checkedUrl(options.url, allowPlainHttp),
    token: checkedToken(options.token),
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

/** A token must fit in a header. What came instead is not shown: it may be a token. */
function checkedToken(token: unknown): string {
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token
  const came =
    typeof token === 'string' ? (token === '' ? 'an empty text' : 'a text with other characters') : typeof token
  throw new RailError(
    'RAIL_BAD_OPTION',
    `The option token is a text of printable ASCII without spaces, got ${came}. Is the environment variable set?`,
  )
}
