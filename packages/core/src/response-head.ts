import { type Field, type FieldReader, mergeFields } from './field.js'

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
 * again by the same `owner` (a limiter), the new fields stand in place of its old ones.
 */
export function addFields(response: HeadWriter, owner: object, fields: readonly Field[]): void {
  const known = pending.get(response)
  if (known !== undefined) {
    known.set(owner, fields)
    return
  }
  const byOwner = new Map([[owner, fields]])
  pending.set(response, byOwner)
  const writeHead = response.writeHead
  response.writeHead = function writeHeadWithRateLimit(...args: unknown[]) {
    const place = args.findIndex((argument) => typeof argument === 'object' && argument !== null)
    for (const sent of byOwner.values()) {
      if (place !== -1) args[place] = merged(response, args[place] as GivenHeaders, sent)
      else for (const { name, value } of mergeFields(readerOf(response), sent)) response.setHeader(name, value)
    }
    return writeHead.apply(response, args)
  }
}

const pending = new WeakMap<HeadWriter, Map<object, readonly Field[]>>()

/** The headers that a caller gives to writeHead: an object, or names and values in turn, or pairs of them. */
type GivenHeaders = Record<string, unknown> | readonly unknown[]

/** The caller's headers with the fields: a copy, as they may be shared between responses. They win over setHeader's. */
function merged(response: HeadWriter, given: GivenHeaders, fields: readonly Field[]): GivenHeaders {
  const entries = entriesOf(given)
  const set = readerOf(response)
  const read = (name: string): string | undefined => {
    const there = entries.filter(([other]) => isSame(other, name)).map(([, value]) => textOf(value))
    return there.length > 0 ? there.join(', ') : set(name)
  }
  const others = entries.filter(([name]) => !fields.some((field) => isSame(field.name, name)))
  const all = [...others, ...mergeFields(read, fields).map(({ name, value }) => [name, value] as const)]
  if (!Array.isArray(given)) return Object.fromEntries(all)
  return Array.isArray(given[0]) ? all : all.flat()
}

function readerOf(response: HeadWriter): FieldReader {
  return (name) => textOf(response.getHeader(name))
}

function isSame(a: unknown, b: unknown): boolean {
  return String(a).toLowerCase() === String(b).toLowerCase()
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
