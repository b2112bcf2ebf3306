import { monotonicClock } from './clock.js'
import { isRailError, RailError, shown } from './errors.js'

// Core is compiled without DOM or Node types. Every runtime has one of the two.
declare const process: { readonly emitWarning?: (warning: Error) => void } | undefined
declare const console: { warn(message: string): void }

/**
 * Reports an error that nobody handles: one warning for each code and minute in this process, by `process.emitWarning`, or
 * by `console.warn` where there is no such function. The first after a minute has the number of those that were left out.
 *
 * @param nowMs A reading of the monotonic clock, in milliseconds.
 */
export function warn(error: unknown, nowMs: number = monotonicClock()): void {
  const code = isRailError(error) ? error.code : 'other'
  const known = warned.get(code)
  if (known !== undefined && nowMs - known.atMs < EVERY_MS && nowMs >= known.atMs) {
    known.leftOut++
    return
  }
  const leftOut = known?.leftOut ?? 0
  warned.set(code, { atMs: nowMs, leftOut: 0 })
  emit(leftOut === 0 ? errorOf(error) : withCount(errorOf(error), leftOut))
}

const EVERY_MS = 60_000
const warned = new Map<string, { readonly atMs: number; leftOut: number }>()

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new RailError('RAIL_NOT_AN_ERROR', `An error was reported: ${shown(error)}.`)
}

/** A copy: the error is not ours alone. */
function withCount(error: Error, leftOut: number): Error {
  const message = `${error.message} (${leftOut} more of this code since the last warning.)`
  if (!isRailError(error)) return new Error(message, { cause: error })
  return new RailError(error.code, message, { cause: error.cause, count: error.count })
}

function emit(error: Error): void {
  if (typeof process === 'object' && typeof process.emitWarning === 'function') process.emitWarning(error)
  else console.warn(isRailError(error) ? `[${error.code}] ${error.message}` : String(error))
}
