/** A header field to be sent, and how it meets one of its name that is already there. */
export interface Field {
  readonly name: string
  readonly value: string
  /**
   * `'list'`: both are lists, joined. `'replace'`: this one wins. `'larger'`: the larger whole number wins.
   * `'tightest'`: whichever limit has less left wins, as `tightest` tells.
   */
  readonly merge: 'list' | 'replace' | 'larger' | 'tightest'
  /** What the same limiter sent before for this request: it is taken out of what is already there first. */
  readonly instead?: string | undefined
}

/**
 * The value to send where a field meets one that is already there: another limiter's, a proxy's, the handler's. The only
 * place that knows. Merging the same field twice changes nothing.
 *
 * @param existing The value there, as one text (several lines joined with `, `), or `undefined`.
 */
export function mergeField(existing: string | undefined, field: Field): string {
  const { value } = field
  const others = existing === undefined || existing === value ? undefined : without(existing, field.instead)
  if (others === undefined || others === '') return value
  switch (field.merge) {
    case 'replace':
      return value
    case 'list':
      return hasMembers(others, value) ? others : `${others}, ${value}`
    case 'larger':
      return /^\d+$/.test(others) && Number(others) > Number(value) ? others : value
    case 'tightest':
      return value
  }
}

/** A list without the members that `gone` has: members are compared as text, as this limiter wrote them. */
function without(list: string, gone: string | undefined): string {
  if (gone === undefined) return list
  if (list === gone) return ''
  if (list.startsWith(`${gone}, `)) return list.slice(gone.length + 2)
  if (list.endsWith(`, ${gone}`)) return list.slice(0, -gone.length - 2)
  return list.replace(`, ${gone}, `, ', ')
}

function hasMembers(list: string, members: string): boolean {
  return `, ${list}, `.includes(`, ${members}, `)
}
