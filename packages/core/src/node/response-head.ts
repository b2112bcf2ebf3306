import { createNotes, type Shape } from '../base/notes.js'
import { type Field, type FieldReader, mergeFields } from '../headers/field.js'

/** What Node's `ServerResponse` has that matters here, also HTTP/2's, under Express, Fastify and Koa alike. */
export interface HeadWriter {
  getHeader(name: string): number | string | string[] | undefined
  setHeader(name: string, value: string): unknown
  // biome-ignore lint/suspicious/noExplicitAny: the overloads of Node's writeHead, passed through untouched.
  writeHead: (...args: any[]) => any
}

/**
 * Adds fields to a response at the last moment, when its head is written: whatever the framework or the handler did to the
 * headers until then (a thrown error, another handler's own field, a stream, `writeHead` by hand), they are there. Called
 * again by the same `owner` (an object for each limiter), the new fields stand in place of its old ones.
 */
export function addFields(response: HeadWriter, owner: object, fields: readonly Field[], shape: Shape = {}): void {
  const reshaped = shape.reshaped === true
  const known = reshaped ? pendingOfReshaped.get(response) : (response as Awaiting)[PENDING]
  if (known !== undefined) {
    known.set(owner, fields)
    return
  }
  const pending = new Pending(owner, fields, response.writeHead)
  if (reshaped) {
    pendingOfReshaped.set(response, pending)
    // Whoever has wrapped this one already may have kept what our prototype had before.
    if (!Object.hasOwn(response, 'writeHead') && isWrapped(prototypeOf(response))) return
  }
  ;(response as Awaiting)[PENDING] = pending
  response.writeHead = writeHeadWithRateLimit
}

/** A symbol, because whoever calls a response through a Proxy has to find it too, and no private field is seen through one. */
const PENDING = Symbol('rail.pending')

/** A response with a `writeHead` of its own. */
interface Awaiting extends HeadWriter {
  [PENDING]?: Pending
}

/** One function for all responses: with another for each, the engine would make the shapes of responses anew. */
function writeHeadWithRateLimit(this: Awaiting, ...args: unknown[]): unknown {
  const pending = this[PENDING] as Pending
  return pending.writeHead.apply(this, withFields(this, pending, args))
}

const pendingOfReshaped = createNotes<Pending>({ reshaped: true })

/** Prototypes whose responses write their heads with what is pending of them. */
const wrapped = new WeakSet<HeadWriter>()

/**
 * Makes sure that a prototype of reshaped responses has a `writeHead` that adds what is pending: once, in the framework's
 * own prototype just above Node's, so that it holds for all of an application's mounted ones too. False where there is none.
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

/** What writeHead is to be called with, once fields have been set that are not among it. */
function withFields(response: HeadWriter, pending: Pending, args: unknown[]): unknown[] {
  let place = 0
  while (place < args.length && (typeof args[place] !== 'object' || args[place] === null)) place++
  for (let it: Pending | undefined = pending; it !== undefined; it = it.next) {
    if (place < args.length) args[place] = merged(response, args[place] as GivenHeaders, it.fields)
    else set(response, it.fields)
  }
  return args
}

/** The fields of a limiter, those of the next one, of which there is usually none, and what writes them. */
class Pending {
  readonly writeHead: HeadWriter['writeHead']
  fields: readonly Field[]
  next: Pending | undefined
  readonly #owner: object

  constructor(owner: object, fields: readonly Field[], writeHead: HeadWriter['writeHead']) {
    this.writeHead = writeHead
    this.fields = fields
    this.next = undefined
    this.#owner = owner
  }

  set(owner: object, fields: readonly Field[]): void {
    if (this.#owner === owner) this.fields = fields
    else if (this.next === undefined) this.next = new Pending(owner, fields, this.writeHead)
    else this.next.set(owner, fields)
  }
}

function set(response: HeadWriter, fields: readonly Field[]): void {
  const sent = isFree(response, fields) ? fields : mergeFields(readerOf(response), fields)
  for (const { name, value } of sent) response.setHeader(name, inOnePiece(value))
}

/**
 * The same text. One that was put together is in pieces until it is looked at, and Node looks at a value by a regular
 * expression, which takes much longer to join them than to be asked for a character does.
 */
function inOnePiece(text: string): string {
  return text.charCodeAt(0) === 0 ? '' : text
}

/** Whether nobody else has set any of the fields, as is usual, so that there is nothing to merge. */
function isFree(response: HeadWriter, fields: readonly Field[]): boolean {
  for (let index = 0; index < fields.length; index++) {
    if (response.getHeader((fields[index] as Field).name) !== undefined) return false
  }
  return true
}

/** The headers that a caller gives to writeHead: an object, or names and values in turn, or pairs of them. */
type GivenHeaders = Record<string, unknown> | readonly unknown[]

/** The caller's headers with the fields: a copy, as they may be shared between responses. They win over setHeader's. */
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
