/** Rows as people read them: columns in line, two spaces apart; what would move the cursor is shown as `?`. */
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

/** A moment as people read it: UTC, to the minute. */
export function timeText(epochMs: number | null): string {
  if (epochMs === null) return 'never'
  if (epochMs > LATEST_DATE) return 'later than a date can say'
  return `${new Date(epochMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** In epoch milliseconds (ECMAScript, "Time Values and Time Range"). */
const LATEST_DATE = 8.64e15

/** A line as a terminal shows it. Names are other people's text: none of it may reach the terminal as a command. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')
}

/** How a window of a limit is said: `per second`, `per 10 s`. */
export function windowText(windowMs: number): string {
  const named = { 1000: 'second', 60000: 'minute', 3600000: 'hour', 86400000: 'day' }[windowMs]
  return named === undefined ? `per ${windowMs / 1_000} s` : `per ${named}`
}
