import { promisify } from 'node:util'
import { constants, deflateRaw, deflateRawSync } from 'node:zlib'

/**
 * A gzip stream whose beginning is compressed once and whose end is written for each answer: everything for 50 servers
 * then costs 50 copies of a buffer. The result is one ordinary gzip member (RFC 1952), which every proxy and client
 * understands.
 */
export interface GzipPrefix {
  /** The header and the beginning, compressed, up to a byte boundary and not yet ended. */
  readonly bytes: Buffer
  /** CRC-32 of the beginning. */
  readonly crc: number
  /** Length of the beginning before compression, in bytes. */
  readonly length: number
}

const compress = promisify<Buffer, object, Buffer>(deflateRaw)

/** Magic number, deflate, no flags, no time, unknown system: RFC 1952, section 2.3. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])

/** Compresses the beginning of a string, given in pieces, off the event loop: a long one does not block requests. */
export async function gzipPrefix(pieces: AsyncIterable<string>): Promise<GzipPrefix> {
  const parts: Buffer[] = [HEADER]
  let crc = 0
  let length = 0
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece)
    parts.push(await compress(bytes, UNENDED))
    crc = crc32(bytes, crc)
    length += bytes.length
  }
  return { bytes: Buffer.concat(parts), crc, length }
}

/** The whole: the beginning and this end. */
export function withEnd({ bytes, crc, length }: GzipPrefix, end: string): Buffer {
  const last = Buffer.from(end)
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(crc32(last, crc), 0)
  trailer.writeUInt32LE((length + last.length) % 2 ** 32, 4)
  return Buffer.concat([bytes, deflateRawSync(last), trailer])
}

/** A full flush ends on a byte and refers to nothing before it, so pieces that are compressed apart can be joined. */
const UNENDED = { finishFlush: constants.Z_FULL_FLUSH, level: 6 }

/** CRC-32 as in RFC 1952, section 8, continued from another. (`zlib.crc32` is not in every Node 20.) */
function crc32(bytes: Uint8Array, before: number): number {
  let crc = ~before
  for (const byte of bytes) crc = (TABLE[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8)
  return ~crc >>> 0
}

const TABLE = Int32Array.from({ length: 256 }, (_, index) => {
  let value = index
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})
