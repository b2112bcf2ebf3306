import { unexpected } from '@rail/core/adapter'

/** A request, as options and events of a client get it. */
export interface Call {
  /** The given URL; made absolute if the runtime has an address of its own. */
  readonly url: string
  /** In upper case. */
  readonly method: string
  readonly headers: Headers
}

/** The first argument of `fetch`. */
export type Input = string | URL | Request

/** One call to the client, and the arguments of its requests. */
export interface Outgoing {
  readonly call: Call
  readonly signal: AbortSignal | undefined
  /** Whether its body can be sent again; a stream can be read only once. */
  readonly replayable: boolean
  /** The arguments of `fetch`. @param again Whether the request may have to be sent again. */
  readonly args: (again: boolean) => readonly [input: Input, init: RequestInit | undefined]
}

/** How idempotency keys are made: not at all (`false`), at random (`true`), or by a function. */
export type KeyMaker = boolean | ((call: Call) => string)

/**
 * Reads the arguments of a call. They stay unchanged, except that an idempotency key is added where the option says so.
 *
 * @throws RailError `RAIL_BAD_OPTION` if the key is not a string, or empty: a server would carry out each try of a request
 * without a key
 */
export function outgoing(input: Input, init: RequestInit | undefined, keyMaker: KeyMaker): Outgoing {
  const request = isRequest(input) ? input : undefined
  const headers = new Headers(init?.headers ?? request?.headers)
  const method = (init?.method ?? request?.method ?? 'GET').toUpperCase()
  const call: Call = { url: absolute(request?.url ?? String(input)), method, headers }
  const key = keyFor(call, keyMaker)
  if (key !== undefined) headers.set('Idempotency-Key', key)
  const given = key === undefined ? init : { ...init, headers }
  // A Request's own body can be read once, but a copy can be made before it is.
  const own = request !== undefined && request.body !== null && (init?.body ?? null) === null ? request : undefined
  return {
    call,
    signal: init?.signal ?? request?.signal ?? undefined,
    replayable: own === undefined ? isReplayable(init?.body) : !own.bodyUsed && own.body?.locked !== true,
    args: (again) => [own !== undefined && again ? own.clone() : input, given],
  }
}

function isRequest(input: Input): input is Request {
  return typeof input === 'object' && 'url' in input
}

/** Methods that write, and are not idempotent. */
const WRITES: readonly string[] = ['POST', 'PATCH']

function keyFor(call: Call, keyMaker: KeyMaker): string | undefined {
  if (keyMaker === false || !WRITES.includes(call.method) || hasKey(call.headers)) return undefined
  if (keyMaker === true) return randomKey()
  const key = stringFrom('idempotencyKey', keyMaker(call))
  if (key.trim() !== '') return key
  throw unexpected('RAIL_BAD_OPTION', 'idempotencyKey()', 'a non-empty string', key, 'Return a key for each write.')
}

/** Whether a write has an idempotency key. An empty one does not count: a server would carry out each try. */
export function hasKey(headers: Headers): boolean {
  return (headers.get('Idempotency-Key') ?? '') !== ''
}

/** Checks the result of a user's function. @throws RailError `RAIL_BAD_OPTION` for anything but a string, a promise too */
export function stringFrom(option: string, returned: unknown): string {
  if (typeof returned === 'string') return returned
  throw unexpected('RAIL_BAD_OPTION', `${option}()`, 'a string', returned, 'Return it directly, not in a promise.')
}

/** 128 random bits. Browsers have `randomUUID` only on https. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function absolute(url: string): string {
  const base: unknown = (globalThis as { location?: { href?: unknown } }).location?.href
  try {
    return new URL(url, typeof base === 'string' ? base : undefined).href
  } catch {
    return url
  }
}

/** Whether `fetch` can send a body twice: all but streams of the web or Node, and iterators. */
function isReplayable(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return true
  return !('getReader' in body || 'pipe' in body || 'next' in body || Symbol.asyncIterator in body)
}
