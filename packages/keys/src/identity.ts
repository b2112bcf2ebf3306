import type { RailError } from '@rail/core'
import { unexpected } from '@rail/core/adapter'

/**
 * What a key may belong to: a non-empty string, or an object with an `id`, which is a non-empty string or a number other than
 * 0. Nothing else is an identity: rows of a query, a response of a database and `{}` would allow every key.
 */
export type KeyIdentity = string | { readonly id: string | number | bigint }

export function isIdentity(value: unknown): boolean {
  if (typeof value === 'string') return value !== ''
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { id } = value as { readonly id?: unknown }
  return (typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint') && Boolean(id)
}

/** What a look-up returned, checked. @throws RailError `RAIL_BAD_IDENTITY` for anything but an identity and `null` */
export function identityOrNull<Identity>(found: Identity | null): Identity | null {
  if (found === null || isIdentity(found)) return found
  throw notAnIdentity(found)
}

function notAnIdentity(found: unknown): RailError {
  const toDo = "Return { id: '…' } or a string for a known key, null for an unknown one."
  return unexpected('RAIL_BAD_IDENTITY', 'lookup()', 'one identity, or null', found, toDo)
}
