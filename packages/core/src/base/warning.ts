import { monotonicClock } from './clock.js'
import { isRailError, RailError, shown } from './errors.js'
import { later } from './later.js'

// Core is compiled without DOM or Node types. Every runtime has one of the two.
declare const process: { readonly emitWarning?: (warning: Error) => void } | undefined
declare const console: { warn(message: string): void }

/**
 * Reports an error that nobody handles: one warning for each code and minute in this process, by `process.emitWarning`, or
 * by `console.warn` where there is no such function. Those that are left out are counted. The number comes with the next
 * warning of the code, or at the end of the minute.
 *
 * @param nowMs A reading of the monotonic clock, in milliseconds.
 */
export function warn(error: unknown, nowMs: number = monotonicClock()): void {
  const code = isRailError(error) ? error.code : 'other'
  const known = warned.get(code)
  if (known !== undefined && nowMs - known.atMs < EVERY_MS && nowMs >= known.atMs) {
    known.latest = error
    if (++known.leftOut === 1) later(() => warnOfRest(code, known), known.atMs + EVERY_MS - nowMs)
    return
  }
  warned.set(code, { atMs: nowMs, leftOut: 0, latest: undefined })
  emit(withCount(errorOf(error), known?.leftOut ?? 0))
}

/** What became of the errors of one code since a warning. */
interface Warned {
  readonly atMs: number
  leftOut: number
  latest: unknown
}

const EVERY_MS = 60_000
const warned = new Map<string, Warned>()

/** Warns with the latest of the errors that were left out, unless a later warning has counted them. */
function warnOfRest(code: string, known: Warned): void {
  if (warned.get(code) !== known) return
  warned.set(code, { atMs: known.atMs + EVERY_MS, leftOut: 0, latest: undefined })
  emit(withCount(errorOf(known.latest), known.leftOut - 1))
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new RailError('RAIL_NOT_AN_ERROR', `An error was reported: ${shown(error)}.`)
}

/** A copy where there is something to add: the error is not ours alone. */
function withCount(error: Error, leftOut: number): Error {
  if (leftOut === 0) return error
  const message = `${error.message} (${leftOut} more of this code since the last warning.)`
  if (!isRailError(error)) return new Error(message, { cause: error })
  return new RailError(error.code, message, { cause: error.cause, count: error.count })
}

function emit(error: Error): void {
  if (typeof process === 'object' && typeof process.emitWarning === 'function') process.emitWarning(error)
  else console.warn(isRailError(error) ? `[${error.code}] ${error.message}` : String(error))
}
