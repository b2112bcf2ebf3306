import { type Field, type FieldReader, mergeFields } from '../headers/field.js'
import { RecordedOutcome } from '../limiter/recorded-outcome.js'
import { RequestState, type Sent, STATE, stateOfResponse } from '../limiter/request-state.js'
import { type HeaderSetter, isMock, setAtOnce } from './mock-response.js'

/** The methods of Node's `ServerResponse` that add headers. HTTP/2's response has them too. */
export interface HeadWriter extends HeaderSetter {
  // biome-ignore lint/suspicious/noExplicitAny: the overloads of Node's writeHead, passed through untouched.
  writeHead: (...args: any[]) => any
}

/**
 * Adds an outcome's headers to a response when its head is written, as they are then. They are sent whatever the framework
 * or the handler did before: a thrown error, a header of its own, a stream, a call of `writeHead`. A later outcome of the
 * same limiter replaces an earlier one. A response that writes no head by itself, a test's mock, has them at once.
 *
 * @throws RailError `RAIL_BAD_RESPONSE` for what cannot have headers
 */
export function addFields(response: HeadWriter, outcome: HasHeaders): void {
  if (isMock(response)) {
    setAtOnce(response, outcome.headers)
    if (response.writeHead === undefined) return
  }
  const record = RecordedOutcome.recordOf(outcome)
  // Of a request that was not counted there is nothing to send.
  if (record === undefined && outcome.headers.length === 0) return
  const there = stateOfResponse(response)
  const state = there ?? record?.state ?? new RequestState()
  if (record === undefined) state.put(new SentElsewhere(outcome))
  else {
    record.isSent = true
    record.state ??= state
    if (state.of(record.source) !== record) state.put(record.state === state ? record : new SentElsewhere(record))
  }
  if (there === undefined && state.response !== response) wrap(response, state)
}

/** An outcome, whose headers may change until they are sent. */
export interface HasHeaders {
  readonly headers: readonly Field[]
}

/** Headers of an outcome that no limiter has made, or of a request with another response. */
class SentElsewhere implements Sent {
  readonly source: HasHeaders
  next: Sent | undefined = undefined

  constructor(source: HasHeaders) {
    this.source = source
  }

  get headers(): readonly Field[] {
    return this.source.headers
  }
}

/**
 * A `writeHead` of the response's own, which knows what it sends: to add a second property would be dear where objects have
 * no common shape, as Express's.
 */
function wrap(response: HeadWriter, state: RequestState): void {
  const { writeHead } = response
  function writeHeadWithRateLimit(this: HeadWriter, ...args: unknown[]): unknown {
    return writeHead.apply(this, withFields(this, state, args))
  }
  writeHeadWithRateLimit[STATE] = state
  state.response = response
  response.writeHead = writeHeadWithRateLimit
}

/** The arguments for writeHead, after the headers that are not among them were set. */
function withFields(response: HeadWriter, { first }: RequestState, args: unknown[]): unknown[] {
  let place = 0
  while (place < args.length && (typeof args[place] !== 'object' || args[place] === null)) place++
  for (let it = first; it !== undefined; it = it.next) {
    if (place < args.length) args[place] = merged(response, args[place] as GivenHeaders, it.headers)
    else set(response, it.headers)
  }
  return args
}

function set(response: HeadWriter, fields: readonly Field[]): void {
  const sent = isFree(response, fields) ? fields : mergeFields(readerOf(response), fields)
  for (const { name, value } of sent) response.setHeader(name, inOnePiece(value))
}

/**
 * The same string, in one piece. A joined string stays in pieces until a character is read. Node checks a header's value
 * by a regular expression, which joins the pieces much more slowly than this.
 */
function inOnePiece(text: string): string {
  return text.charCodeAt(0) === 0 ? '' : text
}

/** Whether all of the headers are sent as they are, as is usual: none is set, so nothing has to be merged. */
function isFree(response: HeadWriter, fields: readonly Field[]): boolean {
  for (let index = 0; index < fields.length; index++) {
    const { name, unless } = fields[index] as Field
    if (unless !== undefined || response.getHeader(name) !== undefined) return false
  }
  return true
}

/** The headers that a caller gives to writeHead: an object, or names and values in turn, or pairs of them. */
type GivenHeaders = Record<string, unknown> | readonly unknown[]

/** The caller's headers with ours: a copy, because responses may share them. They replace those of setHeader. */
function merged(response: HeadWriter, given: GivenHeaders, fields: readonly Field[]): GivenHeaders {
  const unmet = Array.isArray(given) ? undefined : beside(given as Record<string, unknown>, response, fields)
  if (unmet !== undefined) return unmet
  const entries = entriesOf(given)
  const set = readerOf(response)
  const read = (name: string): string | undefined => {
    const there = entries.filter(([other]) => isSame(String(other), name)).map(([, value]) => textOf(value))
    return there.length > 0 ? there.join(', ') : set(name)
  }
  const others = entries.filter(([name]) => !isAmong(fields, String(name)))
  const all = [...others, ...mergeFields(read, fields).map(({ name, value }) => [name, value] as const)]
  if (!Array.isArray(given)) return Object.fromEntries(all)
  return Array.isArray(given[0]) ? all : all.flat()
}

/** The caller's headers and the fields side by side; `undefined` where any of them meet, there or on the response. */
function beside(
  given: Record<string, unknown>,
  response: HeadWriter,
  fields: readonly Field[],
): GivenHeaders | undefined {
  if (!isFree(response, fields)) return undefined
  // Not spread: the engine copies an object that grows afterwards four times as fast one by one. Nor by iterators.
  const all: Record<string, unknown> = {}
  for (const name of Object.keys(given)) {
    if (isAmong(fields, name)) return undefined
    all[name] = given[name]
  }
  for (let index = 0; index < fields.length; index++) {
    const { name, value } = fields[index] as Field
    all[name] = inOnePiece(value)
  }
  return all
}

function readerOf(response: HeadWriter): FieldReader {
  return (name) => textOf(response.getHeader(name))
}

function isAmong(fields: readonly Field[], name: string): boolean {
  // Once for each name of each response: neither an iterator nor a closure.
  for (let index = 0; index < fields.length; index++) if (isSame((fields[index] as Field).name, name)) return true
  return false
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && a.toLowerCase() === b.toLowerCase()
}

function entriesOf(given: GivenHeaders): (readonly [string, unknown])[] {
  if (!Array.isArray(given)) return Object.entries(given)
  if (Array.isArray(given[0])) return given as [string, unknown][]
  return Array.from(
    { length: given.length / 2 },
    (_, index) => [given[2 * index] as string, given[2 * index + 1]] as const,
  )
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : Array.isArray(value) ? value.join(', ') : String(value)
}
