import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, randomBytes, utf8ToBytes } from '@noble/hashes/utils'
import { checkOption } from '@rail/core/adapter'

/** A new API key, to be shown to its owner once, and its hash, to be stored. */
export interface NewKey {
  readonly key: string
  readonly hash: string
}

/**
 * Draws a key: 256 random bits in base64url, behind a prefix that tells people and secret scanners what it is. So many
 * bits cannot be guessed, and need no slow hash.
 *
 * @param prefix Letters, digits, `_` and `-`: a key is sent in a header, which takes no others, or ends at them. @default 'key_'
 * @throws RailError `RAIL_BAD_OPTION` for another prefix
 */
export function createKey(prefix = 'key_'): NewKey {
  checkOption('prefix', prefix, 'letters, digits, _ and -', isPrefix)
  const key = prefix + base64url(randomBytes(32))
  return { key, hash: hashKey(key) }
}

/** The SHA-256 of a key (FIPS 180-4), in hexadecimal: what is stored in its place. */
export function hashKey(key: string): string {
  return bytesToHex(sha256(utf8ToBytes(key)))
}

const isPrefix = (value: unknown): boolean => typeof value === 'string' && /^[\w-]*$/.test(value)

/** Whether two hashes are equal, in a time that does not tell where they differ. */
export function sameHash(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let index = 0; index < a.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index)
  return difference === 0
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** RFC 4648 section 5, without padding. */
function base64url(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    bits = (bits << 8) | byte
    for (held += 8; held >= 6; held -= 6) text += ALPHABET[(bits >> (held - 6)) & 63]
    bits &= (1 << held) - 1
  }
  return held === 0 ? text : text + ALPHABET[(bits << (6 - held)) & 63]
}
