import { shown } from '@rail/core/store'

/** What is wrong with a string that `JSON.parse` refuses, and the offset of the first character that cannot be right. */
export interface JsonFault {
  readonly message: string
  readonly offset: number
}

type Expected = 'a value' | 'a value or ]' | 'a name in quotes' | 'a name in quotes or }' | ':' | 'a comma or the end'

const SPACES = /[ \t\n\r]*/y
const STRING = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/uy
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y

/**
 * The first fault of a string that is not JSON (RFC 8259); `undefined` if it has none. The errors of `JSON.parse` have a place in
 * some versions of Node, and for some faults, only.
 */
export function jsonFault(text: string): JsonFault | undefined {
  const open: ('}' | ']')[] = []
  let expected: Expected = 'a value'
  for (let at = endOf(SPACES, text, 0); ; ) {
    const end = endOf(STRING, text, at)
    const scalarEnd = endOf(SCALAR, text, at)
    const token = end > at ? 'string' : scalarEnd > at ? 'scalar' : text.charAt(at)
    if (token === '' && expected === 'a comma or the end' && open.length === 0) return undefined
    const next = after(expected, token, open)
    if (next === undefined) return { message: messageOf(text.slice(at, at + 20), expected), offset: at }
    expected = next
    at = endOf(SPACES, text, Math.max(end, scalarEnd, at + 1))
  }
}

/** The end of what a pattern matches at an offset; the offset if nothing. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

/** What is expected after a token; `undefined` if the token is wrong. `open`: the ends of the objects and arrays around it. */
function after(expected: Expected, token: string, open: ('}' | ']')[]): Expected | undefined {
  if (token === open.at(-1) && /end$|[}\]]$/.test(expected)) {
    open.pop()
    return 'a comma or the end'
  }
  switch (expected) {
    case 'a value':
    case 'a value or ]':
      if (token === 'string' || token === 'scalar') return 'a comma or the end'
      if (token !== '{' && token !== '[') return undefined
      open.push(token === '{' ? '}' : ']')
      return token === '{' ? 'a name in quotes or }' : 'a value or ]'
    case 'a name in quotes':
    case 'a name in quotes or }':
      return token === 'string' ? ':' : undefined
    case ':':
      return token === ':' ? 'a value' : undefined
    case 'a comma or the end':
      if (token !== ',' || open.length === 0) return undefined
      return open.at(-1) === '}' ? 'a name in quotes' : 'a value'
  }
}

function messageOf(rest: string, expected: Expected): string {
  const isComment = /^(?:\/[/*]|#)/.test(rest)
  const got =
    rest === '' ? 'the end of the file' : shown(isComment ? rest.slice(0, 2) : (/^\S+/.exec(rest)?.[0] ?? rest))
  const toDo = isComment ? 'JSON has no comments: remove it, or save the file as YAML.' : 'Correct it.'
  return `expected JSON, got ${got} in place of ${expected}. ${toDo}`
}
