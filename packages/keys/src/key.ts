import { sha256 } from '@noble/hashes/sha2'
import { randomBytes, utf8ToBytes } from '@noble/hashes/utils'
import { checkOption, unexpected } from '@rail/core/adapter'

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

/**
 * The SHA-256 hash of a key (FIPS 180-4) in lower-case hexadecimal, to store in place of the key.
 *
 * @throws RailError `RAIL_BAD_OPTION` for anything but a non-empty string
 */
export function hashKey(key: string): string {
  if (typeof key !== 'string' || key === '')
    throw unexpected('RAIL_BAD_OPTION', 'hashKey()', 'a key, a non-empty string', key)
  return hexadecimal(sha256(utf8ToBytes(key)))
}

const isPrefix = (value: unknown): boolean => typeof value === 'string' && /^[\w-]*$/.test(value)

const DIGITS = '0123456789abcdef'

/**
 * Made of character codes at once: a string that is added together keeps its parts, which take eight times the memory where
 * many hashes are kept.
 */
function hexadecimal(bytes: Uint8Array): string {
  const codes: number[] = []
  for (const byte of bytes) codes.push(DIGITS.charCodeAt(byte >> 4), DIGITS.charCodeAt(byte & 15))
  return String.fromCharCode(...codes)
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
