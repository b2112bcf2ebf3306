import { Problem } from '../base/problem.js'

/**
 * What a writer expects to find, so that two people do not undo each other: a revision (`If-Match: "12"`), nothing
 * (`If-None-Match: *`), or `undefined`: anything.
 */
export type Precondition = { readonly rev: number } | 'absent' | undefined

/** Compares the stored revision with the expected one. @throws Problem `stale` */
export function checkPrecondition(precondition: Precondition, rev: number | undefined, what: string): void {
  if (precondition === undefined) return
  const expected = precondition === 'absent' ? undefined : precondition.rev
  if (expected === rev) return
  const inWords = (one: number | undefined): string => (one === undefined ? 'none' : `revision ${one}`)
  throw new Problem(
    'stale',
    `${what}: expected ${inWords(expected)}, got ${inWords(rev)}. Somebody changed it. Read it again first.`,
  )
}
