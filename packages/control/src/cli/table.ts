/** Rows for people: aligned columns, two spaces apart. Control characters become `?`. */
export function tableLines(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [head, ...rows].map((cells) => cells.map(printable))
  const widths = head.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)))
  return all.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] as number))
      .join('  ')
      .trimEnd(),
  )
}

/** A time for people: UTC, to the minute. */
export function timeText(epochMs: number | null): string {
  if (epochMs === null) return 'never'
  if (epochMs > LATEST_DATE) return 'after the last date'
  return `${new Date(epochMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** In epoch milliseconds (ECMAScript, "Time Values and Time Range"). */
const LATEST_DATE = 8.64e15

/** A line that is safe for a terminal: other people choose the names, and no name may contain a command for it. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')
}

/** The window of a limit in words: `per second`, `per 10 s`. */
export function windowText(windowMs: number): string {
  const named = { 1000: 'second', 60000: 'minute', 3600000: 'hour', 86400000: 'day' }[windowMs]
  return named === undefined ? `per ${windowMs / 1_000} s` : `per ${named}`
}
