import { advice } from '../base/advice.js'
import { type RailError, unexpected } from '../base/errors.js'

/**
 * What is wrong with the arguments of a middleware, as when a test calls it by hand. Nothing is counted then.
 *
 * @returns RailError `RAIL_BAD_RESPONSE`; `undefined` where nothing is
 */
export function faultOfCall(request: unknown, next: unknown): RailError | undefined {
  const toDo = advice('Mount the limiter in an application, or call it as the framework does.')
  if (typeof next !== 'function') return unexpected('RAIL_BAD_RESPONSE', 'next', 'a function', next, toDo)
  if (typeof request === 'object' && request !== null) return undefined
  return unexpected('RAIL_BAD_RESPONSE', 'request', 'an object', request, toDo)
}
