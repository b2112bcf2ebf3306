import { figureOf, isReached, type Row } from './goal.js'

/** The rows of one part as a table in Markdown. */
export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    const { what, against, rounds, goal, note = '' } = row
    const bound = goal === undefined ? '' : `${goal.at === 'most' ? '≤' : '≥'} ${written(row, goal.reach)}`
    const spread =
      rounds.length < 2 ? '' : `${written(row, Math.min(...rounds))} to ${written(row, Math.max(...rounds))}`
    return `| ${[what, against, bound, written(row, figureOf(row)), spread, verdictOf(row), note].join(' | ')} |`
  })
  return [
    '| what | against | goal | reached | rounds | verdict | |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...lines,
  ].join('\n')
}

function verdictOf(row: Row): string {
  const reached = isReached(row)
  if (reached === undefined) return ''
  if (reached) return 'yes'
  const { goal } = row
  const off = goal === undefined ? 0 : figureOf(row) / goal.reach
  return `no: ${off > 1 ? '+' : '−'}${Math.abs(Math.round((off - 1) * 100))} %`
}

/** A figure as text, in its row's unit. */
export function written({ unit = 'ratio' }: Pick<Row, 'unit'>, figure: number): string {
  switch (unit) {
    case 'ratio':
      return figure.toFixed(2)
    case 'times':
      return `${figure.toFixed(1)}×`
    case 'ms':
      return `${figure.toFixed(2)} ms`
    case 'us':
      return `${figure.toFixed(2)} µs`
    case 'kB':
      return `${figure.toFixed(1)} kB`
    case 'bytes':
    case 'count':
      return figure.toFixed(0)
  }
}
