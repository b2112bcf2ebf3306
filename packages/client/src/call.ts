import { RailError } from '@rail/core'
import { shown } from '@rail/core/adapter'

/** A request as the options and events of a client see it. */
export interface Call {
  /** As given; absolute where the runtime knows its own address. */
  readonly url: string
  /** In upper case. */
  readonly method: string
  readonly headers: Headers
}

/** What `fetch` takes first. */
export type Input = string | URL | Request

/** One call to the client, and how its request is made, once or several times. */
export interface Outgoing {
  readonly call: Call
  readonly signal: AbortSignal | undefined
  /** Whether its body can be sent again: a stream can be read once. */
  readonly replayable: boolean
  /** What `fetch` is given. @param again Whether it may have to be made once more. */
  readonly args: (again: boolean) => readonly [input: Input, init: RequestInit | undefined]
}

/** How keys of idempotency are made: not, at random, or by a function. */
export type KeyMaker = boolean | ((call: Call) => string)

/**
 * Reads what the client was called with, and changes nothing of it but that an idempotency key is added where it is due.
 *
 * @throws RailError `RAIL_BAD_OPTION` where the key that was made is no text or an empty one: under one key a server takes all
 * for one request, and under none each try for another
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

/** Methods that are not idempotent by themselves, and write. */
const WRITES: readonly string[] = ['POST', 'PATCH']

function keyFor(call: Call, keyMaker: KeyMaker): string | undefined {
  if (keyMaker === false || !WRITES.includes(call.method) || hasKey(call.headers)) return undefined
  if (keyMaker === true) return randomKey()
  const key = textFrom('idempotencyKey', keyMaker(call))
  if (key.trim() !== '') return key
  throw new RailError(
    'RAIL_BAD_OPTION',
    `The option idempotencyKey returns a text that is not empty; it returned ${shown(key)}. Return a key for each write.`,
  )
}

/** Whether a write has an idempotency key. An empty one is none: a server would carry out each try. */
export function hasKey(headers: Headers): boolean {
  return (headers.get('Idempotency-Key') ?? '') !== ''
}

/** What a function of the user's returned. @throws RailError `RAIL_BAD_OPTION` for what is no text, a promise of one too */
export function textFrom(option: string, returned: unknown): string {
  if (typeof returned === 'string') return returned
  throw new RailError(
    'RAIL_BAD_OPTION',
    `The option ${option} returns a text; it returned ${shown(returned)}. Return one, and no promise of one.`,
  )
}

/** 128 random bits. Not `randomUUID`, which browsers have only on https. */
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

/** Everything that `fetch` takes for a body, but streams: the web's, Node's, and iterators. */
function isReplayable(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return true
  return !('getReader' in body || 'pipe' in body || 'next' in body || Symbol.asyncIterator in body)
}
