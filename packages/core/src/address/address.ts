/**
 * Reads an address as sockets and proxies write it: IPv4 in four decimal parts, IPv6 in any notation (RFC 4291 section
 * 2.2). A port (`192.0.2.1:80`, `[2001:db8::1]:80`) and a zone (`fe80::1%eth0`) are dropped. `undefined` for anything else,
 * and for parts with a leading zero, because some programs read these as octal.
 *
 * @returns The eight groups of 16 bits of an IPv6 address. An IPv4 address becomes the IPv6 address that it is mapped to,
 * `::ffff:192.0.2.1` (RFC 4291 section 2.5.5.2).
 */
export function parseAddress(text: string): readonly number[] | undefined {
  if (text.length > LONGEST) return undefined
  const [, bracketed] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text) ?? []
  if (bracketed !== undefined) return v6Of(bracketed)
  const [, beforePort] = /^(\d+(?:\.\d+){3})(?::\d{1,5})?$/.exec(text) ?? []
  return v6Of(beforePort === undefined ? text : `::ffff:${beforePort}`)
}

/** The longest IPv6 address has 45 characters; brackets, a port and the name of an interface may be added. */
const LONGEST = 128

function v6Of(text: string): readonly number[] | undefined {
  const address = text.replace(/%[\w.~-]+$/, '')
  const halves = address.split('::')
  if (halves.length > 2) return undefined
  const groups = halves.map((half, index) => groupsOf(half, index === halves.length - 1))
  const [head, tail] = groups
  if (head === undefined || groups.includes(undefined)) return undefined
  if (tail === undefined) return head.length === 8 ? head : undefined
  const missing = 8 - head.length - tail.length
  return missing < 1 ? undefined : [...head, ...Array<number>(missing).fill(0), ...tail]
}

/** The groups on one side of `::`. The last may be an IPv4 address, which is two groups. */
function groupsOf(text: string, isLast: boolean): number[] | undefined {
  if (text === '') return []
  const groups: number[] = []
  const parts = text.split(':')
  for (const [index, part] of parts.entries()) {
    if (/^[\da-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16))
    else {
      const bytes = isLast && index === parts.length - 1 ? bytesOf(part) : undefined
      if (bytes === undefined) return undefined
      groups.push(...pairs(bytes))
    }
  }
  return groups
}

function bytesOf(text: string): number[] | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return undefined
  return parts.map(Number)
}

function pairs([a = 0, b = 0, c = 0, d = 0]: readonly number[]): [number, number] {
  return [(a << 8) | b, (c << 8) | d]
}

/** An IPv6 address in its canonical form (RFC 5952 section 4): lower case, the longest run of zeros shortened. */
export function writeV6(groups: readonly number[]): string {
  let [longest, at] = [1, -1]
  for (let start = 0; start < 8; start++) {
    let end = start
    while (end < 8 && groups[end] === 0) end++
    if (end - start > longest) [longest, at] = [end - start, start]
  }
  const parts = groups.map((group) => group.toString(16))
  if (at === -1) return parts.join(':')
  return `${parts.slice(0, at).join(':')}::${parts.slice(at + longest).join(':')}`
}
