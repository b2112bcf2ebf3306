import { Problem } from '../base/problem.js'

/**
 * What a writer believes to find, so that two people do not undo each other: a revision (`If-Match: "12"`), nothing
 * (`If-None-Match: *`), or `undefined`, whatever is there.
 */
export type Precondition = { readonly rev: number } | 'absent' | undefined

/** The headers that carry a precondition. */
export interface ConditionalHeaders {
  readonly 'if-match'?: string | undefined
  readonly 'if-none-match'?: string | undefined
}

/** Reads the precondition from a request's headers. @throws Problem `invalid` for what is neither form */
export function preconditionOf(headers: ConditionalHeaders): Precondition {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers
  if (noneMatch === '*') return 'absent'
  if (match === undefined || match === '*') return undefined
  // A proxy that compresses answers makes the tag it passes on a weak one.
  const [, rev] = /^(?:W\/)?"(\d{1,15})"$/.exec(match.trim()) ?? []
  if (rev === undefined)
    throw new Problem('invalid', `If-Match holds a revision in quotes, such as "12"; got ${match}.`)
  return { rev: Number(rev) }
}

/** Holds what is there against what the writer believed. @throws Problem `stale` */
export function checkPrecondition(precondition: Precondition, rev: number | undefined, what: string): void {
  if (precondition === undefined) return
  const expected = precondition === 'absent' ? undefined : precondition.rev
  if (expected === rev) return
  const found = rev === undefined ? 'is not there' : `is at revision ${rev}`
  throw new Problem('stale', `${what} was changed meanwhile: it ${found}. Read it again, then decide.`)
}
