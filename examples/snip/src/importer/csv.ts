import { createHash } from 'node:crypto'

/** A row of the file: a link to create. */
export interface Row {
  /** Where it begins in the file, from 1; the header is line 1. */
  readonly line: number
  /** What is posted, as JSON: a `url`, and a `slug` unless the server is to choose one. */
  readonly body: string
  /** The same for the same row whenever the file is read, also where other rows were added or moved. */
  readonly key: string
}

/**
 * Reads a CSV file (RFC 4180) with a header line that names the columns `url` and, if there are any, `slug`.
 *
 * @throws Error for a file without a column `url`, and for one whose quotes are wrong, with the line
 */
export function rowsOf(text: string): readonly Row[] {
  const [header, ...records] = recordsOf(text)
  const columns = header?.cells.map((name) => name.trim().toLowerCase()) ?? []
  const [url, slug] = [columns.indexOf('url'), columns.indexOf('slug')]
  if (url === -1) throw new Error(`The first line has to name a column "url"; it is "${columns.join(',')}".`)
  const times = new Map<string, number>()
  return records.flatMap(({ line, cells }) => {
    if (cells.length === 1 && cells[0] === '') return []
    const body = bodyFor((cells[url] ?? '').trim(), (cells[slug] ?? '').trim())
    // Two equal rows are two links, unless they name a slug; and each keeps its key.
    const nth = (times.get(body) ?? 0) + 1
    times.set(body, nth)
    return [{ line, body, key: keyOf(body, nth) }]
  })
}

function bodyFor(url: string, slug: string): string {
  return JSON.stringify(slug === '' ? { url } : { url, slug })
}

function keyOf(body: string, nth: number): string {
  return `import-${createHash('sha256').update(`${nth} ${body}`).digest('hex').slice(0, 32)}`
}

interface CsvRecord {
  readonly line: number
  readonly cells: string[]
}

function recordsOf(text: string): readonly CsvRecord[] {
  const cell = /(?:"((?:[^"]|"")*)"|((?:[^",\r\n]|\r(?!\n))*))(,|\r?\n|$)/y
  const records: CsvRecord[] = []
  let line = 1
  for (let record: CsvRecord = { line, cells: [] }; ; ) {
    const [whole, quoted, plain = '', end] = cell.exec(text) ?? []
    if (whole === undefined) throw new Error(`Line ${line}: a quote is not closed, or stands inside a cell.`)
    record.cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    line += whole.split('\n').length - 1
    if (end === ',') continue
    records.push(record)
    if (end === '') return records
    record = { line, cells: [] }
  }
}
