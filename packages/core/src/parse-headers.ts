import { MOST_SECONDS } from './seconds.js'
import { type BareItem, type Member, parseList } from './structured-field.js'

/** Where a client stands, as a response's header fields tell. */
export interface ParsedHeaders {
  /** A limit for each that was named, as far as it is known. */
  readonly limits: readonly ParsedLimit[]
  /** Milliseconds to wait before the next request, from `Retry-After`; it takes precedence over any limit's. */
  readonly retryAfterMs?: number
  /** Whether the response came from a cache (`Age` above 0): then what it says of limits is old. */
  readonly stale: boolean
}

/** One limit, as a client knows it. */
export interface ParsedLimit {
  readonly name?: string
  /** Tokens that a full bucket holds. */
  readonly quota?: number
  readonly windowMs?: number
  readonly remaining: number
  /** Milliseconds within which no more than what remains may be used. */
  readonly resetAfterMs?: number
}

/** Header fields in any form: a `Headers` object, a plain object with names in any case, or a function. */
export type HeaderSource =
  | { get(name: string): string | null | undefined }
  | { readonly [name: string]: string | number | readonly string[] | undefined }
  | ((name: string) => string | null | undefined)

/**
 * Reads what {@link headersFor} writes: `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-11),
 * `Retry-After` and `Age`. A malformed field is ignored whole, a member that says nothing usable alone.
 */
export function parseHeaders(headers: HeaderSource): ParsedHeaders {
  const read = readerOf(headers)
  const policies = new Map(membersOf(read('ratelimit-policy')).map((member) => [member.name, member]))
  const limits = membersOf(read('ratelimit')).flatMap(({ name, integer }) => {
    const remaining = integer('r')
    if (remaining === undefined) return []
    const policy = policies.get(name)
    return [
      {
        name,
        remaining,
        ...optional('quota', policy?.integer('q')),
        ...optional('windowMs', inMs(policy?.integer('w'))),
        ...optional('resetAfterMs', inMs(integer('t'))),
      },
    ]
  })
  const retryAfter = /^\d+$/.exec(read('retry-after')?.trim() ?? '')?.[0]
  return {
    limits,
    ...optional('retryAfterMs', retryAfter === undefined ? undefined : inMs(Number(retryAfter))),
    stale: Number(read('age')) > 0,
  }
}

interface NamedMember {
  readonly name: string
  /** A parameter that is a whole number from 0; anything else is as good as missing. */
  readonly integer: (key: string) => number | undefined
}

function membersOf(field: string | undefined): NamedMember[] {
  return (field === undefined ? undefined : parseList(field))?.flatMap(named) ?? []
}

/** Names are strings; tokens are taken for names too, which a later revision of the draft may allow. */
function named({ item, parameters }: Member): NamedMember[] {
  if (!isBare(item) || (item.type !== 'string' && item.type !== 'token')) return []
  const integer = (key: string): number | undefined => {
    const found = parameters.get(key)
    return found?.type === 'integer' && found.value >= 0 ? found.value : undefined
  }
  return [{ name: item.value, integer }]
}

function isBare(item: Member['item']): item is BareItem {
  return !Array.isArray(item)
}

function inMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.min(seconds, MOST_SECONDS) * 1000
}

function optional<Name extends string, T>(name: Name, value: T | undefined): { [key in Name]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { [key in Name]: T })
}

function readerOf(headers: HeaderSource): (name: string) => string | undefined {
  if (typeof headers === 'function') return (name) => headers(name) ?? undefined
  if (typeof headers.get === 'function') {
    const source = headers as { get(name: string): string | null | undefined }
    return (name) => source.get(name) ?? undefined
  }
  const fields = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return (name) => {
    const value = fields.get(name)
    return value === undefined ? undefined : Array.isArray(value) ? value.join(', ') : String(value)
  }
}
