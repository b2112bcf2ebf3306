/** One line of a CSV file: its number in the file, from 1, and its cells. */
export interface CsvLine {
  readonly line: number
  readonly cells: readonly string[]
}

/**
 * The lines of a CSV text (RFC 4180): commas, cells in double quotes where they need it, CRLF or LF. Empty lines are left
 * out, a byte order mark too.
 *
 * @throws SyntaxError which names the line, for a quote that is not closed, or that stands inside a cell
 */
export function parseCsv(text: string): CsvLine[] {
  const lines: CsvLine[] = []
  let cells: string[] = []
  let line = 1
  let began = 1
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0
  while (at < text.length) {
    const cell = text[at] === '"' ? quotedCell(text, at, line) : plainCell(text, at, line)
    line += cell.lines
    at = cell.end
    cells.push(cell.text)
    if (text[at] === ',') {
      at += 1
      if (at < text.length) continue
      cells.push('')
    }
    if (cells.length > 1 || cells[0] !== '') lines.push({ line: began, cells })
    cells = []
    at += text[at] === '\r' ? 2 : 1
    line += 1
    began = line
  }
  return lines
}

/** One line of CSV, with its line end. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`
}

interface Cell {
  readonly text: string
  /** Where the cell ends. */
  readonly end: number
  /** How many line ends are in it. */
  readonly lines: number
}

function plainCell(text: string, from: number, line: number): Cell {
  const ends = /,|\r?\n|"|$/g
  ends.lastIndex = from
  const end = ends.exec(text)?.index ?? text.length
  if (text[end] === '"') {
    throw new SyntaxError(`Line ${line}: a cell that has a quote in it stands in quotes, with its own quotes doubled.`)
  }
  return { text: text.slice(from, end), end, lines: 0 }
}

function quotedCell(text: string, from: number, line: number): Cell {
  let end = text.indexOf('"', from + 1)
  while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2)
  if (end < 0) throw new SyntaxError(`Line ${line}: a quote is opened and never closed.`)
  const after = text.slice(end + 1, end + 3)
  if (!/^($|,|\n|\r\n)/.test(after)) {
    throw new SyntaxError(`Line ${line}: after a cell in quotes comes a comma or the end of the line.`)
  }
  const inner = text.slice(from + 1, end).replaceAll('""', '"')
  return { text: inner, end: end + 1, lines: inner.split('\n').length - 1 }
}
