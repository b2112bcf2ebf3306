import { checkGiven } from '../base/check.js'
import { MOST_SECONDS } from './seconds.js'
import { parseDictionary, parseList } from './structured-field.js'

/** A header field to be sent, and how it meets one of its name that is already there. */
export interface Field {
  readonly name: string
  readonly value: string
  /**
   * `'list'`: both are lists, joined. `'replace'`: this one wins. `'larger'`: the larger whole number wins.
   * `'tightest'`: the field tells one limit, alone or together with others of its group, and the limit with fewer tokens
   * left wins, as `standing` tells; a limit that refused always does.
   */
  readonly merge: 'list' | 'replace' | 'larger' | 'tightest'
  /** What the fields of a group say together: decides each of them, so that they stay of one limit. Only for `'tightest'`. */
  readonly standing?: Standing | undefined
  /** What the same limiter sent before for this request: it is taken out of what is already there first. */
  readonly instead?: string | undefined
}

/** One limit as a group of fields tells it: the numbers as they are sent. */
export interface Standing {
  readonly limit: number
  readonly remaining: number
  readonly reset: number
  /** Whether the limit refused the request. */
  readonly refused: boolean
  /** The fields of the group. `undefined`: one field tells it all, as a Dictionary with these keys (draft-7). */
  readonly names?: { readonly limit: string; readonly remaining: string; readonly reset: string } | undefined
  /** What the same limiter told before for this request. */
  readonly instead?: Standing | undefined
}

/** Reads a field that is already there by its name, as one text (several lines joined with `, `). */
export type FieldReader = (name: string) => string | undefined

/**
 * What to send of `fields` where others may be there already: another limiter's, a proxied upstream's, the handler's.
 * Everything that is there is read before anything is merged, so that fields which belong together are decided alike.
 * Merging what was merged changes nothing.
 */
export function mergeFields(read: FieldReader, fields: readonly Field[]): { name: string; value: string }[] {
  return fields.map((field) => ({ name: field.name, value: merged(read(field.name), field, read) }))
}

/**
 * The value to send where a field meets one that is already there. The only place that knows. {@link mergeFields} does it
 * for several fields at once, which is what `'tightest'` needs.
 *
 * @param existing The value there, as one text (several lines joined with `, `), or `undefined`.
 * @param read Reads the fields that were there before any of this limiter's were merged. Without it, a field of a group
 * replaces the one that is there: half a group cannot be compared.
 * @throws RailError `RAIL_BAD_OPTION` for what is no text, no field or no reader
 */
export function mergeField(existing: string | undefined, field: Field, read?: FieldReader): string {
  const canRead = read === undefined || typeof read === 'function'
  checkGiven(canRead, read, 'mergeField() reads other fields by a function', 'Give one, or leave it out.')
  const isText = existing === undefined || typeof existing === 'string'
  checkGiven(
    isText,
    existing,
    'mergeField() takes what is there as a text',
    'Make it one; several lines are joined by ", ".',
  )
  checkGiven(isField(field), field, 'mergeField() takes a field', "Give one of an outcome's headers.")
  return merged(existing, field, read)
}

/** As {@link mergeField}, of what has been checked. */
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
      return tightest(existing, field, read)
  }
}

function isField(field: unknown): boolean {
  const { value, merge } = (field ?? {}) as Partial<Field>
  return typeof value === 'string' && typeof merge === 'string'
}

/** The fields of a limiter's later answer to a request, to be merged in place of its earlier ones. */
export function inPlaceOf(fields: readonly Field[], earlier: readonly Field[]): readonly Field[] {
  if (earlier.length === 0) return fields
  return fields.map((field) => {
    const before = earlier.find((other) => other.name === field.name)
    if (before === undefined) return field
    const { standing } = field
    return {
      ...field,
      instead: before.value,
      ...(standing === undefined ? {} : { standing: { ...standing, instead: before.standing } }),
    }
  })
}

/** Both lists in one, without what the same limiter said before, and no member twice. */
function joined(existing: string, { name, value, instead }: Field): string {
  // A malformed structured field is ignored whole (RFC 9651 section 4.2): what is there must not take ours with it.
  if (name.startsWith('RateLimit') && parseList(existing) === undefined) return value
  const ours = membersOf(value)
  const gone = instead === undefined ? [] : membersOf(instead).filter((member) => !ours.includes(member))
  const there = membersOf(existing).filter((member) => !gone.includes(member))
  const fresh = ours.filter((member) => !there.includes(member))
  return [...there, ...fresh].join(', ')
}

/** The members of a list, as text. A comma inside a quoted string separates nothing; a quote that never ends is none. */
function membersOf(list: string): string[] {
  const members: string[] = []
  let start = 0
  let quoted = false
  let escapes = true
  for (let index = 0; index < list.length; index++) {
    if (quoted && escapes && list[index] === '\\') index++
    else if (list[index] === '"') {
      quoted = !quoted
      // A backslash in a Display String (RFC 9651 section 3.3.8) is only that.
      escapes = list[index - 1] !== '%'
    } else if (list[index] === ',' && !quoted) {
      members.push(list.slice(start, index).trim())
      start = index + 1
    }
  }
  const all = quoted ? list.split(',').map((member) => member.trim()) : [...members, list.slice(start).trim()]
  return all.filter((member) => member !== '')
}

/** Several lines of a field that is one number are joined by commas on their way here. */
function larger(existing: string, value: string): string {
  return existing.split(',').reduce((largest, text) => {
    const number = Math.min(wholeNumber(text) ?? 0, MOST_SECONDS)
    return number > Number(largest) ? String(number) : largest
  }, value)
}

function tightest(existing: string | undefined, { value, standing }: Field, read?: FieldReader): string {
  if (standing === undefined || standing.refused) return value
  const there = standing.names === undefined ? inDictionary(existing) : inGroup(standing.names, read)
  if (there === undefined || there.remaining > standing.remaining || same(there, standing.instead)) return value
  // Only what was used may be missing in a group, and follows from the rest.
  return existing ?? String(Math.max(0, there.limit - there.remaining))
}

type Numbers = Pick<Standing, 'limit' | 'remaining' | 'reset'>

/** `undefined` unless all three numbers are there: half a group tells nothing that could be kept. */
function inDictionary(text: string | undefined): Numbers | undefined {
  const members = text === undefined ? undefined : parseDictionary(text)
  return numbers((key) => {
    const item = members?.get(key)?.item
    return item !== undefined && 'type' in item && item.type === 'integer' && item.value >= 0 ? item.value : undefined
  })
}

function inGroup(names: NonNullable<Standing['names']>, read: FieldReader | undefined): Numbers | undefined {
  return numbers((key) => wholeNumber(read?.(names[key]) ?? ''))
}

function numbers(numberOf: (key: keyof Numbers) => number | undefined): Numbers | undefined {
  const [limit, remaining, reset] = [numberOf('limit'), numberOf('remaining'), numberOf('reset')]
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined
  return { limit, remaining, reset }
}

function same(a: Numbers, b: Numbers | undefined): boolean {
  return a.limit === b?.limit && a.remaining === b.remaining && a.reset === b.reset
}

function wholeNumber(text: string): number | undefined {
  return /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : undefined
}
