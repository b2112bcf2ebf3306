import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { CsvError, type Info, parse } from 'csv-parse'

/** One record of a CSV file: the line it begins on, from 1, and its cells. */
export interface CsvLine {
  readonly line: number
  readonly cells: readonly string[]
}

/** What csv-parse gives for each record with `info: true`. */
interface Parsed {
  readonly info: Info
  readonly record: readonly string[]
}

/** This much is parsed at a time: some milliseconds. Servers get their answers in between. */
const PIECE_BYTES = 64 * 1024

/**
 * The records of a CSV file (RFC 4180): commas, cells in double quotes where they need it, CRLF or LF. Empty lines and a
 * byte order mark are left out.
 *
 * @throws SyntaxError which names the line, for a quote that is not closed, or that is inside a cell
 */
export async function parseCsv(text: string): Promise<CsvLine[]> {
  const lines: CsvLine[] = []
  // The parser's own count of lines takes CRLF in a quoted cell for two, so line ends within cells are counted here.
  let within = 0
  const parser = parse({
    bom: true,
    info: true,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
  })
  const pieces = Readable.from(piecesOf(Buffer.from(text)))
  try {
    for await (const { info, record } of pieces.pipe(parser) as AsyncIterable<Parsed>) {
      const line = info.records + info.empty_lines + within
      if (record.length > 1 || record[0] !== '') lines.push({ line, cells: record })
      for (const cell of record) within += cell.split('\n').length - 1
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const { records, empty_lines: empty } = error as CsvError & Info
    throw new SyntaxError(`Line ${records + empty + within + 1}: ${FAULTS[error.code] ?? error.message}`, {
      cause: error,
    })
  }
  return lines
}

const FAULTS: Partial<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed.',
  INVALID_OPENING_QUOTE: 'a cell with a quote in it must be in quotes. Double the quotes that belong to it.',
  CSV_INVALID_CLOSING_QUOTE: 'expected a comma or the end of the line after a cell in quotes.',
}

/** One line of CSV, with its line end. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    yield bytes.subarray(at, at + PIECE_BYTES)
    await setImmediate()
  }
}
