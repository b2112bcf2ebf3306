import { createNotes, type Shape } from '../base/notes.js'
import { type Field, type FieldReader, mergeFields } from '../headers/field.js'
import { type HeaderSetter, isMock, setAtOnce } from './mock-response.js'

/** The methods of Node's `ServerResponse` that add headers. HTTP/2's response has them too. */
export interface HeadWriter extends HeaderSetter {
  // biome-ignore lint/suspicious/noExplicitAny: the overloads of Node's writeHead, passed through untouched.
  writeHead: (...args: any[]) => any
}

/** An outcome, whose headers may change until they are sent. */
export interface HasHeaders {
  readonly headers: readonly Field[]
}

/**
 * Adds an outcome's headers to a response when its head is written, as they are then. They are sent whatever the framework
 * or the handler did before: a thrown error, a header of its own, a stream, a call of `writeHead`. A second call by the same
 * `owner`, an object for each limiter, replaces the outcome of the first. A response that writes no head by itself, a test's
 * mock, has them at once.
 *
 * @throws RailError `RAIL_BAD_RESPONSE` for what cannot have headers
 */
export function addFields(response: HeadWriter, owner: object, outcome: HasHeaders, shape: Shape = {}): void {
  if (isMock(response)) {
    setAtOnce(response, outcome.headers)
    if (response.writeHead === undefined) return
  }
  const reshaped = shape.reshaped === true
  const known = reshaped ? pendingOfReshaped.get(response) : (response as Awaiting)[PENDING]
  if (known !== undefined) {
    known.set(owner, outcome)
    return
  }
  const pending = new Pending(owner, outcome, response.writeHead)
  if (reshaped) {
    pendingOfReshaped.set(response, pending)
    // A response that is wrapped already may call the `writeHead` that the prototype had before.
    if (!Object.hasOwn(response, 'writeHead') && isWrapped(prototypeOf(response))) return
  }
  ;(response as Awaiting)[PENDING] = pending
  response.writeHead = writeHeadWithRateLimit
}

/** A symbol, because a Proxy around a response passes it on, and does not pass on a private field. */
const PENDING = Symbol('rail.pending')

/** A response with a `writeHead` of its own. */
interface Awaiting extends HeadWriter {
  [PENDING]?: Pending
}

/** One function for all responses: with one for each, every response would have a shape of its own in the engine. */
function writeHeadWithRateLimit(this: Awaiting, ...args: unknown[]): unknown {
  const pending = this[PENDING] as Pending
  return pending.writeHead.apply(this, withFields(this, pending, args))
}

const pendingOfReshaped = createNotes<Pending>(true)

/** Prototypes whose responses write their pending headers. */
const wrapped = new WeakSet<HeadWriter>()

/**
 * Gives a prototype of reshaped responses a `writeHead` that adds pending headers. It is set once, in the framework's own
 * prototype just above Node's, so that mounted applications have it too. `false` where there is no such prototype.
 */
function isWrapped(prototype: HeadWriter): boolean {
  if (wrapped.has(prototype)) return true
  let below: HeadWriter | undefined
  let owner = prototype
  while (!Object.hasOwn(owner, 'writeHead')) {
    below = owner
    owner = prototypeOf(owner)
  }
  if (!wrapped.has(owner)) {
    if (below === undefined) return false
    const { writeHead } = owner
    below.writeHead = function writeHeadWithRateLimit(this: HeadWriter, ...args: unknown[]) {
      const pending = pendingOfReshaped.get(this)
      return writeHead.apply(this, pending === undefined ? args : withFields(this, pending, args))
    }
    wrapped.add(below)
  }
  wrapped.add(prototype)
  return true
}

function prototypeOf(object: HeadWriter): HeadWriter {
  return Object.getPrototypeOf(object) as HeadWriter
}

/** The arguments for writeHead, after the headers that are not among them were set. */
function withFields(response: HeadWriter, pending: Pending, args: unknown[]): unknown[] {
  let place = 0
  while (place < args.length && (typeof args[place] !== 'object' || args[place] === null)) place++
  for (let it: Pending | undefined = pending; it !== undefined; it = it.next) {
    if (place < args.length) args[place] = merged(response, args[place] as GivenHeaders, it.outcome.headers)
    else set(response, it.outcome.headers)
  }
  return args
}

/** The pending outcome of a limiter and that of the next limiter if there is one, and the function that writes them. */
class Pending {
  readonly writeHead: HeadWriter['writeHead']
  outcome: HasHeaders
  next: Pending | undefined
  readonly #owner: object

  constructor(owner: object, outcome: HasHeaders, writeHead: HeadWriter['writeHead']) {
    this.writeHead = writeHead
    this.outcome = outcome
    this.next = undefined
    this.#owner = owner
  }

  set(owner: object, outcome: HasHeaders): void {
    if (this.#owner === owner) this.outcome = outcome
    else if (this.next === undefined) this.next = new Pending(owner, outcome, this.writeHead)
    else this.next.set(owner, outcome)
  }
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
