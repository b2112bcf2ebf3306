import { createHash } from 'node:crypto'
import { type Db, firstRow } from './database.js'
import { Problem, problemOf } from './problem.js'

/** What a write is answered with. */
export interface Answer {
  readonly status: number
  readonly body: unknown
}

interface AnswerRow {
  readonly request: string
  readonly status: number
  readonly body: string
}

/**
 * Carries a write out once for each key: the answer is kept in the transaction that does the work, so there is never one
 * without the other, and whoever sends the key again gets the first answer. Refused writes (4xx) are kept too; what failed
 * is not, and is done anew.
 *
 * @throws Problem 422 for a key that was used for another request
 */
export function onceFor(
  db: Db,
  customer: string,
  key: string | undefined,
  request: unknown,
  now: number,
  work: () => Answer,
): Answer {
  if (key === undefined) return work()
  const hash = createHash('sha256').update(JSON.stringify(request)).digest('hex')
  return db.transaction(() => {
    const known = firstRow<AnswerRow>(
      db,
      'SELECT request, status, body FROM answers WHERE customer = ? AND idempotency_key = ?',
      customer,
      key,
    )
    if (known !== undefined) {
      if (known.request === hash) return { status: known.status, body: JSON.parse(known.body) }
      throw new Problem(422, 'key-reused', 'Idempotency key reused', 'This key was used for another request.')
    }
    const { status, body } = attempted(work)
    db.prepare('INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?)').run(
      customer,
      key,
      hash,
      status,
      JSON.stringify(body),
      now,
    )
    return { status, body }
  })()
}

function attempted(work: () => Answer): Answer {
  try {
    return work()
  } catch (error) {
    const { status, body } = problemOf(error)
    // Whatever failed rolls the transaction back.
    if (status >= 500) throw error
    return { status, body }
  }
}
