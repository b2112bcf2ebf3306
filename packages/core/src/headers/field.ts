import { advice } from '../base/advice.js'
import { checkArgument } from '../base/check.js'
import { isList } from './list-pattern.js'
import { MOST_SECONDS } from './seconds.js'

/** A header to send, and how it meets a header of its name that is already there. */
export interface Field {
  readonly name: string
  readonly value: string
  /**
   * `'list'`: both are lists, and are joined. `'replace'`: this one replaces the other. `'larger'`: the larger whole number
   * is sent. `'tightest'`: headers that describe one limit, alone or in a group; the limit with fewer tokens left is sent,
   * see `standing`, and a limit that refused always.
   */
  readonly merge: 'list' | 'replace' | 'larger' | 'tightest'
  /** Which limit the headers of a group describe, so that all of them describe the same one. Only for `'tightest'`. */
  readonly standing?: Standing | undefined
  /** The value that the same limiter sent before for this request: it is removed from what is there first. */
  readonly instead?: string | undefined
  /** Whether the response goes without this header, by those that it has when its head is written. @default never */
  readonly unless?: ((read: FieldReader) => boolean) | undefined
}

/** The limit that the headers of a group describe. A style that has such groups brings how they meet others. */
export interface Standing {
  /** The value to send where a header of the group meets one that is already there. */
  merge(existing: string | undefined, value: string, read: FieldReader | undefined): string
  /** The same standing, which replaces what the same limiter sent before for this request. */
  replacing(earlier: Standing | undefined): Standing
}

/** Reads a header that is already there by its name, as one string: several lines are joined by `, `. */
export type FieldReader = (name: string) => string | undefined

/**
 * The headers to send where others may be there already: another limiter's, a proxied server's, the handler's. All that
 * is there is read before anything is merged, so that headers of one group are decided alike. Merging twice changes
 * nothing.
 */
export function mergeFields(read: FieldReader, fields: readonly Field[]): { name: string; value: string }[] {
  let policies = ''
  return fields
    .filter(({ unless }) => !unless?.(read))
    .map((field) => {
      const { name } = field
      const value = merged(read(name), field, read)
      if (name === 'RateLimit-Policy') policies = value
      const isJoined = name === 'RateLimit' && field.merge === 'list' && value !== field.value
      return { name, value: isJoined ? statesOf(value, field.value, membersOf(policies)) : value }
    })
}

/**
 * The value to send where a header meets one that is already there. {@link mergeFields} merges several headers at once,
 * which `'tightest'` needs.
 *
 * @param existing The value there, as one string (several lines joined by `, `), or `undefined`.
 * @param read Reads the headers as they were before any of this limiter's were merged. Without it, a header of a group
 * replaces the one that is there: half a group cannot be compared.
 * @throws RailError `RAIL_BAD_OPTION` for arguments of other types
 */
export function mergeField(existing: string | undefined, field: Field, read?: FieldReader): string {
  const isValue = existing === undefined || typeof existing === 'string'
  const toDo = advice('Join several lines by ", ".')
  checkArgument(isValue, 'mergeField()', 'the existing value as a string', existing, toDo)
  checkArgument(isField(field), 'mergeField()', "a field, one of an outcome's headers", field)
  checkArgument(read === undefined || typeof read === 'function', 'mergeField()', 'a function that reads headers', read)
  return merged(existing, field, read)
}

function merged(existing: string | undefined, field: Field, read: FieldReader | undefined): string {
  const { value } = field
  switch (field.merge) {
    case 'replace':
      return value
    case 'list':
      return existing === undefined || existing === value ? value : joined(existing, field)
    case 'larger':
      return existing === undefined || existing === field.instead ? value : larger(existing, value)
    case 'tightest':
      return field.standing === undefined ? value : field.standing.merge(existing, value, read)
  }
}

function isField(field: unknown): boolean {
  const { value, merge } = (field ?? {}) as Partial<Field>
  return typeof value === 'string' && typeof merge === 'string'
}

/** The headers of a limiter's later answer to a request, which replace its earlier ones. */
export function replacing(earlier: readonly Field[], fields: readonly Field[]): readonly Field[] {
  if (earlier.length === 0) return fields
  return fields.map((field) => {
    const before = earlier.find((other) => other.name === field.name)
    if (before === undefined) return field
    const { standing } = field
    return {
      ...field,
      instead: before.value,
      ...(standing === undefined ? {} : { standing: standing.replacing(before.standing) }),
    }
  })
}

/** Both lists in one, without what the same limiter sent before, and no member twice. */
function joined(existing: string, { name, value, instead }: Field): string {
  // A malformed structured field is ignored as a whole (RFC 9651 section 4.2): joined to it, ours would be ignored too.
  if (name.startsWith('RateLimit') && !isList(existing)) return value
  const ours = membersOf(value)
  const gone = instead === undefined ? [] : membersOf(instead).filter((member) => !ours.includes(member))
  const there = membersOf(existing).filter((member) => !gone.includes(member))
  const fresh = ours.filter((member) => !there.includes(member))
  return [...there, ...fresh].join(', ')
}

/**
 * The members of `RateLimit`, of each of our names no more than it has policies: a limiter may have counted a request again
 * that its framework shows as another one. Those with more tokens left are left out.
 */
function statesOf(list: string, ours: string, policies: readonly string[]): string {
  let members = membersOf(list)
  for (const own of membersOf(ours)) {
    const name = own.slice(0, own.lastIndexOf('";r=') + 2)
    const isOfName = (member: string): boolean => member.startsWith(name)
    const left = (member: string): number => Number.parseInt(member.slice(name.length + 2), 10)
    const most = Math.max(1, policies.filter(isOfName).length)
    const kept = members
      .filter(isOfName)
      .sort((a, b) => left(a) - left(b))
      .slice(0, most)
    members = members.filter((member) => !isOfName(member) || kept.includes(member))
  }
  return members.join(', ')
}

/** The members of a list. A comma inside a quoted string separates nothing; a quote that never ends quotes nothing. */
function membersOf(list: string): string[] {
  const members: string[] = []
  let start = 0
  let quoted = false
  let escapes = true
  for (let index = 0; index < list.length; index++) {
    if (quoted && escapes && list[index] === '\\') index++
    else if (list[index] === '"') {
      quoted = !quoted
      // In a Display String (RFC 9651 section 3.3.8) a backslash escapes nothing.
      escapes = list[index - 1] !== '%'
    } else if (list[index] === ',' && !quoted) {
      members.push(list.slice(start, index).trim())
      start = index + 1
    }
  }
  const all = quoted ? list.split(',').map((member) => member.trim()) : [...members, list.slice(start).trim()]
  return all.filter((member) => member !== '')
}

/** A header of one number that was sent in several lines arrives joined by commas. */
function larger(existing: string, value: string): string {
  return existing.split(',').reduce((largest, text) => {
    const number = Math.min(wholeNumber(text) ?? 0, MOST_SECONDS)
    return number > Number(largest) ? String(number) : largest
  }, value)
}

/** A whole number of at most 15 digits, with spaces around it or not; `undefined` for anything else. */
export function wholeNumber(text: string): number | undefined {
  return /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : undefined
}
