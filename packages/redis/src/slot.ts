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
