import { advice } from './advice.js'

/**
 * What went wrong, as a stable string: codes never change, messages may.
 * Each has a section in docs/errors.md with its causes and fixes.
 */
export type RailErrorCode =
  | 'RAIL_BAD_DURATION'
  | 'RAIL_BAD_LIMIT'
  | 'RAIL_BAD_SHARE'
  | 'RAIL_BAD_OPTION'
  | 'RAIL_UNKNOWN_OPTION'
  | 'RAIL_DUPLICATE_NAME'
  | 'RAIL_NO_IDENTITY'
  | 'RAIL_BAD_KEY'
  | 'RAIL_BAD_ADDRESS'
  | 'RAIL_BAD_IDENTITY'
  | 'RAIL_LOOKUP_LATE'
  | 'RAIL_PROXY_ADDRESS'
  | 'RAIL_NO_LIMITS'
  | 'RAIL_BAD_LIMITS'
  | 'RAIL_BAD_COST'
  | 'RAIL_BAD_CHARGES'
  | 'RAIL_BAD_CLOCK'
  | 'RAIL_BAD_SKIP'
  | 'RAIL_BAD_PLAN'
  | 'RAIL_UNKNOWN_SCOPE'
  | 'RAIL_SYNC_FAILED'
  | 'RAIL_SYNC_RECOVERED'
  | 'RAIL_PLANS_SHRANK'
  | 'RAIL_NEVER_FITS'
  | 'RAIL_STORE_FAILED'
  | 'RAIL_STORE_FULL'
  | 'RAIL_STORE_RECOVERED'
  | 'RAIL_TWO_CLOCKS'
  | 'RAIL_REDIS_EVICTS'
  | 'RAIL_FOREIGN_VALUE'
  | 'RAIL_MADE_PER_REQUEST'
  | 'RAIL_ALL_ANONYMOUS'
  | 'RAIL_SAME_REQUEST'
  | 'RAIL_HOOK_FAILED'
  | 'RAIL_BAD_RESPONSE'
  | 'RAIL_NOT_AN_ERROR'
  | 'RAIL_NO_SQLITE'
  | 'RAIL_NEWER_DATABASE'
  | 'RAIL_WAIT_TOO_LONG'
  | 'RAIL_QUOTA_USED'
  | 'RAIL_QUEUE_FULL'

/**
 * The one class of error that Rail throws. `code` is for programs. `message` is for people: what was expected, what came,
 * and what to do. `cause` is the error behind it, if there is one.
 *
 * A refused request is not an error: it is a decision that is not allowed.
 */
export class RailError extends Error {
  override readonly name = 'RailError'
  declare readonly code: RailErrorCode
  /** How many failures this one stands for: those of a store are reported once a second, or a minute. @default 1 */
  declare readonly count: number

  constructor(code: RailErrorCode, message: string, options?: { cause?: unknown; count?: number }) {
    super(message, options)
    this.code = code
    this.count = options?.count ?? 1
  }
}

/** An error of a fact, without its full stop, and what to do, as a sentence. */
export function railError(code: RailErrorCode, fact: string, toDo?: string, options?: ErrorOptions): RailError {
  return new RailError(code, toDo === undefined ? `${fact}.` : `${fact}. ${toDo}`, options)
}

interface ErrorOptions {
  readonly cause?: unknown
  readonly count?: number
}

/**
 * The error of a wrong value, in the one form that Rail's messages have:
 * `<subject>: expected <what>, got <value>. <What to do.>`
 */
export function unexpected(
  code: RailErrorCode,
  subject: string,
  expected: string,
  got: unknown,
  toDo?: string,
): RailError {
  return railError(code, `${subject}: expected ${expected}, got ${shown(got)}`, toDo)
}

/** The error of a function of the user's that failed beside a request. `instead`: what happened then, as a sentence. */
export function hookError(subject: string, cause: unknown, instead: string): RailError {
  const reason = reasonOf(cause).replace(/\.$/, '')
  return railError('RAIL_HOOK_FAILED', `${subject} failed: ${reason}`, instead, { cause })
}

/** Whether an error is Rail's own: `instanceof` would fail where a program has two copies of core, as ES module and CommonJS. */
export function isRailError(error: unknown): error is RailError {
  return error instanceof Error && error.name === 'RailError'
}

/**
 * Throws again what a function of the user's threw, always as an error. Not every framework takes anything else for one:
 * Express goes on as if nothing had happened when given nothing or `'route'`, Koa never answers when given nothing, Hono
 * fails on anything but an Error.
 *
 * @throws What was thrown where it is an object, else RailError `RAIL_NOT_AN_ERROR` with it as the cause
 */
export function throwError(thrown: unknown): never {
  if (typeof thrown === 'object' && thrown !== null) throw thrown
  const fact = `a function of yours: expected to throw an Error, got ${shown(thrown)}`
  throw railError('RAIL_NOT_AN_ERROR', fact, advice('Throw new Error() instead.'), { cause: thrown })
}

/** What an error behind another one says, as its message has it. */
export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : shown(cause)
}

/** A value as an error's message has it: short, quoted where it is a string, never throwing. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'function') return value.name ? `the function ${value.name}` : 'a function'
  if (value === null || typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `an array of ${value.length}`
  return value instanceof Error ? `the error ${shown(value.message)}` : 'an object'
}
