/*
 * Parses Structured Field Values for HTTP (RFC 9651), as far as rate limit headers need them: Lists of Items with
 * Parameters, Dictionaries of the same, all bare items.
 */

/** A bare item. `type` tells tokens, byte sequences, dates and display strings from plain strings and numbers. */
export type BareItem =
  | { readonly type: 'integer' | 'decimal' | 'date'; readonly value: number }
  | { readonly type: 'string' | 'token' | 'bytes' | 'display'; readonly value: string }
  | { readonly type: 'boolean'; readonly value: boolean }

/** An Item, or an Inner List of them, with its Parameters. */
export interface Member {
  readonly item: BareItem | readonly Member[]
  readonly parameters: ReadonlyMap<string, BareItem>
}

/** Parses a List (RFC 9651 section 4.2.1): `undefined` when the field is malformed, and must be ignored. */
export function parseList(text: string): readonly Member[] | undefined {
  return parsed(text, (reader) => {
    const members: Member[] = []
    while (reader.more()) {
      members.push(reader.member())
      if (!reader.comma()) break
    }
    return members
  })
}

/** Parses a Dictionary (RFC 9651 section 4.2.2): `undefined` when malformed. A repeated key has its first place and its last member. */
export function parseDictionary(text: string): ReadonlyMap<string, Member> | undefined {
  return parsed(text, (reader) => {
    const members = new Map<string, Member>()
    while (reader.more()) {
      const key = reader.key()
      members.set(key, reader.take('=') ? reader.member() : { item: TRUE, parameters: reader.parameters() })
      if (!reader.comma()) break
    }
    return members
  })
}

/** Parses an Item (RFC 9651 section 4.2.3): `undefined` when malformed. */
export function parseItem(text: string): Member | undefined {
  return parsed(text, (reader) => reader.item())
}

const TRUE: BareItem = { type: 'boolean', value: true }

class Malformed extends Error {}

/** There is no negative zero in a structured field. */
function numberOf(text: string): number {
  return Number(text) + 0
}

function parsed<T>(text: string, read: (reader: Reader) => T): T | undefined {
  try {
    const reader = new Reader(withoutSpaces(text))
    const value = read(reader)
    return reader.more() ? undefined : value
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

/** Without spaces around it. (A pattern for those at the end would take time that grows with the square of the length.) */
function withoutSpaces(text: string): string {
  let [start, end] = [0, text.length]
  while (text[start] === ' ') start++
  while (end > start && text[end - 1] === ' ') end--
  return text.slice(start, end)
}

class Reader {
  readonly #text: string
  #position = 0

  constructor(text: string) {
    this.#text = text
  }

  more(): boolean {
    return this.#position < this.#text.length
  }

  take(character: string): boolean {
    if (this.#text[this.#position] !== character) return false
    this.#position++
    return true
  }

  /** The separator of two members; false at the end. A trailing comma is malformed. */
  comma(): boolean {
    this.#match(/[ \t]*/y)
    if (!this.more()) return false
    if (!this.take(',')) throw new Malformed()
    this.#match(/[ \t]*/y)
    if (!this.more()) throw new Malformed()
    return true
  }

  member(): Member {
    if (!this.take('(')) return this.item()
    const items: Member[] = []
    for (;;) {
      const spaces = this.#match(/ */y)
      if (this.take(')')) return { item: items, parameters: this.parameters() }
      if (items.length > 0 && spaces === '') throw new Malformed()
      items.push(this.item())
    }
  }

  item(): Member {
    return { item: this.#bareItem(), parameters: this.parameters() }
  }

  parameters(): ReadonlyMap<string, BareItem> {
    const parameters = new Map<string, BareItem>()
    while (this.take(';')) {
      this.#match(/ */y)
      const key = this.key()
      parameters.set(key, this.take('=') ? this.#bareItem() : TRUE)
    }
    return parameters
  }

  key(): string {
    return this.#match(/[a-z*][a-z0-9_\-.*]*/y) || this.#malformed()
  }

  #bareItem(): BareItem {
    switch (this.#text[this.#position]) {
      case '"':
        return { type: 'string', value: this.#string() }
      case ':':
        return { type: 'bytes', value: this.#captured(/:([A-Za-z0-9+/]*=*):/y) }
      case '?':
        return { type: 'boolean', value: this.#captured(/\?([01])/y) === '1' }
      case '@':
        return { type: 'date', value: numberOf(this.#captured(/@(-?\d{1,15})(?![\d.])/y)) }
      case '%':
        return { type: 'display', value: this.#displayString() }
    }
    const token = this.#match(/[A-Za-z*][!#$%&'*+\-.^_`|~A-Za-z0-9:/]*/y)
    return token === '' ? this.#number() : { type: 'token', value: token }
  }

  #number(): BareItem {
    const text = this.#match(/-?\d+(\.\d*)?/y)
    if (/^-?\d{1,15}$/.test(text)) return { type: 'integer', value: numberOf(text) }
    if (/^-?\d{1,12}\.\d{1,3}$/.test(text)) return { type: 'decimal', value: numberOf(text) }
    return this.#malformed()
  }

  #string(): string {
    return this.#captured(/"((?:[ !#-[\]-~]|\\["\\])*)"/y).replace(/\\(.)/g, '$1')
  }

  #displayString(): string {
    const text = this.#captured(/%"((?:[ !#$&-~]|%[0-9a-f]{2})*)"/y)
    try {
      return decodeURIComponent(text)
    } catch {
      return this.#malformed()
    }
  }

  #captured(pattern: RegExp): string {
    pattern.lastIndex = this.#position
    const found = pattern.exec(this.#text)
    if (found === null) return this.#malformed()
    this.#position = pattern.lastIndex
    return found[1] as string
  }

  /** What matches here, which may be nothing. */
  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#position
    const found = pattern.exec(this.#text)
    if (found === null) return ''
    this.#position = pattern.lastIndex
    return found[0]
  }

  #malformed(): never {
    throw new Malformed()
  }
}
