import { advice } from '../base/advice.js'
import { unexpected } from '../base/errors.js'
import { type Field, mergeFields } from '../headers/field.js'

/** The methods of Node's `ServerResponse` that set headers. */
export interface HeaderSetter {
  getHeader(name: string): number | string | string[] | undefined
  setHeader(name: string, value: string): unknown
}

/** What marks a response of Node: HTTP/1's writes its head by itself, HTTP/2's has a stream. */
interface Real {
  readonly _implicitHeader?: unknown
  readonly stream?: unknown
}

/** Whether a response is a test's own, such as that of `node-mocks-http`, which may end without a call of `writeHead`. */
export function isMock(response: object): boolean {
  // What is missing altogether is a mistake in a test too.
  const { _implicitHeader, stream } = (response ?? {}) as Real
  return _implicitHeader === undefined && stream === undefined
}

/** Sets headers beside those that are there. @throws RailError `RAIL_BAD_RESPONSE` where none can be set */
export function setAtOnce(response: Partial<HeaderSetter> | undefined, fields: readonly Field[]): void {
  if (typeof response?.setHeader !== 'function') {
    const toDo = advice('In a test use a response of Node, or a mock that has setHeader.')
    throw unexpected('RAIL_BAD_RESPONSE', 'response', 'an object with setHeader', response, toDo)
  }
  const read = (name: string): string | undefined => {
    const value = response.getHeader?.(name)
    return value === undefined ? undefined : String(value)
  }
  for (const { name, value } of mergeFields(read, fields)) response.setHeader(name, value)
}
