import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** What a token may do: sync a server, read everything, or change everything (which includes reading). */
export type Scope = 'sync' | 'read' | 'admin'

/** The scopes, for schemas and messages. */
export const SCOPES = ['sync', 'read', 'admin'] as const satisfies readonly Scope[]

/** A token's parts: its scope, for people; the selector, which is not secret and finds it; and the secret. */
export interface TokenParts {
  readonly scope: string
  readonly selector: string
  readonly secret: string
}

/** A new token of 256 random bits. The token is shown once. Only its selector and its hash are stored. */
export function createToken(scope: Scope): {
  readonly token: string
  readonly selector: string
  readonly hash: string
} {
  const selector = randomBytes(8).toString('hex')
  const secret = randomBytes(32).toString('hex')
  return { token: `rail_${scope}_${selector}_${secret}`, selector, hash: hashOf(secret) }
}

/** The parts of a token, `undefined` for a string that is none. */
export function tokenParts(text: string): TokenParts | undefined {
  const [, scope, selector, secret] = /^rail_([a-z]{1,10})_([0-9a-f]{16})_([0-9a-f]{64})$/.exec(text) ?? []
  if (scope === undefined || selector === undefined || secret === undefined) return undefined
  return { scope, selector, secret }
}

/**
 * Whether a secret has this hash, in a time that does not depend on where they differ. Without a hash (no such token) it
 * takes the same time, and is false.
 *
 * The secret is 256 random bits, so a plain SHA-256 is enough: no dictionary has it.
 */
export function matches(secret: string, hash: string | undefined): boolean {
  const same = timingSafeEqual(Buffer.from(hashOf(secret), 'hex'), Buffer.from(hash ?? NO_HASH, 'hex'))
  return same && hash !== undefined
}

const NO_HASH = '0'.repeat(64)

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
