import type { Limit } from './limit.js'

/** The name a limit is sent under: its own, after its scope if it has one (`writes.per_minute`). */
export function sentName(scope: string, limit: Limit): string {
  return scope === '' ? limit.name : `${printable(scope)}.${limit.name}`
}

/** A scope may be any string, a name in a header may not: other characters are percent-encoded as in a URL. */
function printable(scope: string): string {
  return scope.replace(/[^\x20-\x7e]/gu, (character) =>
    /\p{Surrogate}/u.test(character) ? '%EF%BF%BD' : encodeURIComponent(character),
  )
}
