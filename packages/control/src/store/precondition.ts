import { Problem } from '../base/problem.js'

/**
 * What a writer believes to find, so that two people do not undo each other: a revision (`If-Match: "12"`), nothing
 * (`If-None-Match: *`), or `undefined`, whatever is there.
 */
export type Precondition = { readonly rev: number } | 'absent' | undefined

/** Holds what is there against what the writer believed. @throws Problem `stale` */
export function checkPrecondition(precondition: Precondition, rev: number | undefined, what: string): void {
  if (precondition === undefined) return
  const expected = precondition === 'absent' ? undefined : precondition.rev
  if (expected === rev) return
  const found = rev === undefined ? 'is not there' : `is at revision ${rev}`
  throw new Problem('stale', `${what} was changed meanwhile: it ${found}. Read it again, then decide.`)
}
