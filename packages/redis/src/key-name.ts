import { createHash } from 'node:crypto'

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
 */
export function keyName(prefix: string, tag: string, scope: string, key: string): KeyName {
  const written = wordFor(tag)
  const name = `${prefix}{${written}}${wordFor(scope)}`
  return { scope, key, name: tag === key ? name : `${name}{${wordFor(key)}`, tag: written }
}

/** A string as it is where it is short and plain, else its SHA-256. So no string can move a slot, and no name is long. */
function wordFor(text: string): string {
  if (PLAIN.test(text)) return text
  // UTF-16, since in UTF-8 all lone surrogates are one character.
  return `~${createHash('sha256').update(text, 'utf16le').digest('base64url')}`
}

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
