import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, randomBytes, utf8ToBytes } from '@noble/hashes/utils'
import { checkOption } from '@rail/core/adapter'

/** A new API key, to show to its owner once, and its hash, to store. */
export interface NewKey {
  readonly key: string
  readonly hash: string
}

/**
 * Creates a random key: a prefix, by which people and secret scanners recognise it, and 256 random bits in base64url. A key
 * of 256 bits cannot be guessed, so a fast hash is enough.
 *
 * @param prefix Letters, digits, `_` and `-`: other characters do not survive in a header. @default 'key_'
 * @throws RailError `RAIL_BAD_OPTION` for another prefix
 */
export function createKey(prefix = 'key_'): NewKey {
  checkOption('prefix', prefix, 'letters, digits, _ and -', isPrefix)
  const key = prefix + base64url(randomBytes(32))
  return { key, hash: hashKey(key) }
}

/** The SHA-256 hash of a key (FIPS 180-4) in lower-case hexadecimal, to store in place of the key. */
export function hashKey(key: string): string {
  return bytesToHex(sha256(utf8ToBytes(key)))
}

const isPrefix = (value: unknown): boolean => typeof value === 'string' && /^[\w-]*$/.test(value)

/** Whether two hashes are equal, in a time that does not depend on where they differ. */
export function sameHash(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let index = 0; index < a.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index)
  return difference === 0
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** RFC 4648 section 5, without padding. */
function base64url(bytes: Uint8Array): string {
  let encoded = ''
  let bits = 0
  let pending = 0
  for (const byte of bytes) {
    bits = (bits << 8) | byte
    for (pending += 8; pending >= 6; pending -= 6) encoded += ALPHABET[(bits >> (pending - 6)) & 63]
    bits &= (1 << pending) - 1
  }
  return pending === 0 ? encoded : encoded + ALPHABET[(bits << (6 - pending)) & 63]
}
