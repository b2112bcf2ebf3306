import { createHash, type Hash } from 'node:crypto'

/** The key of Redis that holds the buckets of a scope and key. */
export interface KeyName {
  readonly scope: string
  readonly key: string
  readonly name: string
  /** The part between the braces: in a cluster, keys of one tag are on one node (Redis Cluster specification, hash tags). */
  readonly tag: string
}

/**
 * The name of the key for a scope and key: `rail:{customer}scope`. Two different pairs never have the same name, since only
 * this function writes `{` and `}`.
 *
 * @param tag The string that decides the slot. Keys of one tag can be charged together in a cluster.
 * @param wordOf What stands for the tag and the key.
 */
export function keyName(prefix: string, tag: string, scope: string, key: string, wordOf = wordFor): KeyName {
  const written = wordOf(tag)
  const name = `${prefix}{${written}}${wordFor(scope)}`
  return { scope, key, name: tag === key ? name : `${name}{${wordOf(key)}`, tag: written }
}

/** A string as it is where it is short and plain, else its hash. So no string can move a slot, and no name is long. */
export function wordFor(text: string): string {
  return PLAIN.test(text) ? text : hashedWord(text)
}

/** The SHA-256 of a string, as it stands in a name. */
export function hashedWord(text: string): string {
  return `~${sha256(text).digest('base64url')}`
}

/** The SHA-256 of a string's UTF-16: in UTF-8 all lone surrogates are one character. Piece by piece, since it may be huge. */
export function sha256(text: string): Hash {
  const hash = createHash('sha256')
  for (let index = 0; index < text.length; index += PIECE) hash.update(text.slice(index, index + PIECE), 'utf16le')
  return hash
}

const PIECE = 65_536

/** Printable ASCII without the space, braces and `~`. */
const PLAIN = /^[!-z|]{0,64}$/

/**
 * The slot of a tag in a cluster: CRC16 (XMODEM) of its characters modulo 16384 (Redis Cluster specification, "Key
 * distribution model"). Tags are ASCII.
 */
export function slotOf(tag: string): number {
  let crc = 0
  for (let index = 0; index < tag.length; index++) {
    crc ^= tag.charCodeAt(index) << 8
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : crc << 1
  }
  return crc % 16_384
}
