import { createHash } from 'node:crypto'

/** A row of the file: a link to create. */
export interface Row {
  /** Where it is in the file, from 1; the header is line 1. */
  readonly line: number
  readonly url: string
  /** `''`: the server chooses one. */
  readonly slug: string
  /** The same for the same row whenever the file is read, also where other rows were added or moved. */
  readonly key: string
}

/**
 * Reads a CSV file (RFC 4180) with a header line that names the columns `url` and, if there are any, `slug`.
 *
 * @throws Error for a file without a column `url`
 */
export function rowsOf(text: string): readonly Row[] {
  const [header = [], ...records] = recordsOf(text)
  const columns = header.map((name) => name.trim().toLowerCase())
  const [url, slug] = [columns.indexOf('url'), columns.indexOf('slug')]
  if (url === -1) throw new Error(`The first line has to name a column "url"; it is "${header.join(',')}".`)
  const times = new Map<string, number>()
  return records.flatMap((record, index) => {
    if (record.length === 1 && record[0] === '') return []
    const link = { url: (record[url] ?? '').trim(), slug: (record[slug] ?? '').trim() }
    const content = JSON.stringify(link)
    // Two equal rows are two links, unless they name a slug; and each keeps its key.
    const nth = (times.get(content) ?? 0) + 1
    times.set(content, nth)
    return [{ ...link, line: index + 2, key: keyOf(content, nth) }]
  })
}

function keyOf(content: string, nth: number): string {
  return `import-${createHash('sha256').update(`${nth} ${content}`).digest('hex').slice(0, 32)}`
}

function recordsOf(text: string): string[][] {
  const records: string[][] = [[]]
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/g)) {
    records.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === '') break
    if (end !== ',') records.push([])
  }
  return records
}
