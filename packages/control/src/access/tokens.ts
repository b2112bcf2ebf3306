import { Problem } from '../base/problem.js'
import { type Author, note } from '../records/history.js'
import type { Database } from '../store/database.js'
import { readState } from '../store/state.js'
import { createToken, matches, type Scope, tokenParts } from './token.js'
import type { TokenInfo } from './token-schema.js'

/** A new token, with the token itself, which is never shown again. */
export interface NewToken extends TokenInfo {
  readonly token: string
}

const COLUMNS = 'selector, scope, label, created_at AS createdAt, used_at AS usedAt'
const HOUR_MS = 3_600_000

/** All tokens, oldest first. */
export function listTokens(db: Database): TokenInfo[] {
  return db.all<TokenInfo>(`SELECT ${COLUMNS} FROM token ORDER BY created_at, selector`)
}

/** Creates a token. */
export function addToken(db: Database, scope: Scope, label: string, by: Author): NewToken {
  const { token, selector, hash } = createToken(scope)
  return db.transaction(() => {
    db.run('INSERT INTO token VALUES (?, ?, ?, ?, ?, NULL)', selector, hash, scope, label, by.at)
    note(db, readState(db).rev, { ...by, kind: 'token', id: selector, before: null, after: { scope, label } })
    return { selector, scope, label, createdAt: by.at, usedAt: null, token }
  })
}

/** Revokes a token at once. @throws Problem `not_found` */
export function removeToken(db: Database, selector: string, by: Author): void {
  db.transaction(() => {
    const token = db.first<TokenInfo>(`SELECT ${COLUMNS} FROM token WHERE selector = ?`, selector)
    if (token === undefined) throw new Problem('not_found', `There is no token ${JSON.stringify(selector)}.`)
    db.run('DELETE FROM token WHERE selector = ?', selector)
    const { scope, label } = token
    note(db, readState(db).rev, { ...by, kind: 'token', id: selector, before: { scope, label }, after: null })
  })
}

/** The token of a string that was sent, `undefined` if there is no such token: the scope in it is part of it. */
export function findToken(db: Database, text: string, now: number): TokenInfo | undefined {
  const parts = tokenParts(text)
  if (parts === undefined) return undefined
  const row = db.first<TokenInfo & { hash: string }>(
    `SELECT ${COLUMNS}, hash FROM token WHERE selector = ?`,
    parts.selector,
  )
  if (!matches(parts.secret, row?.hash) || row === undefined || row.scope !== parts.scope) return undefined
  const { hash, ...token } = row
  if (token.usedAt === null || Math.abs(now - token.usedAt) >= HOUR_MS) noteUse(db, token.selector, now)
  return token
}

function noteUse(db: Database, selector: string, now: number): void {
  try {
    db.run('UPDATE token SET used_at = ? WHERE selector = ?', now, selector)
  } catch {
    // A full disk must not lock anybody out. The time of the last use is only information.
  }
}
