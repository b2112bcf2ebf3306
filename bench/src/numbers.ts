/** A number of the README: one row of the results, in words of its own. */
interface ReadmeNumber {
  readonly what: string
  /** The row: what it measures, and what against. */
  readonly row: RegExp
  /** What the figure is compared with. */
  readonly comparedWith: string
  /** Whether the figure says that Rail loses. */
  readonly loses?: (figure: number) => boolean
}

const slower = (ratio: number): boolean => ratio > 1

// Where several Nodes were measured, the first row is that of the machine's own.
const NUMBERS: readonly ReadmeNumber[] = [
  {
    what: 'Express: time added to a request, one limit each',
    row: /^\| express, Node \d+: what Rail adds, one limit each \|/,
    comparedWith: 'what express-rate-limit adds = 1',
    loses: slower,
  },
  {
    what: 'Fastify: time added to a request, one limit each',
    row: /^\| fastify, Node \d+: what Rail adds, one limit each \|/,
    comparedWith: 'what @fastify/rate-limit adds = 1',
    loses: slower,
  },
  {
    what: 'Express: requests a second, over 16 connections',
    row: /^\| express, Node \d+: requests a second, 16 connections \|/,
    comparedWith: 'without a limiter = 1',
  },
  {
    what: 'bytes of memory for a customer with two limits, 40,000 kept',
    row: /^\| bytes a customer, 40,000 \| rail \|/,
    comparedWith: '',
  },
  {
    what: 'Redis: checks a second of two limits, 500 at once',
    row: /^\| checks a second, 500 at once, node-redis 5 \| rate-limiter-flexible, one window \|/,
    comparedWith: 'rate-limiter-flexible with one window = 1',
    loses: (times) => times < 1,
  },
]

/**
 * The README's table, made of the lines of `bench/RESULTS.md`. Where Rail loses, the figure is bold.
 *
 * @throws Error where a row has not been measured: the table would go on without it, and nobody would notice
 */
export function numbersOf(results: readonly string[]): string {
  const lines = NUMBERS.map(({ what, row, comparedWith, loses }) => {
    const found = results.find((line) => row.test(line))
    if (found === undefined) throw new Error(`bench/RESULTS.md has no row ${row}. Run its part with --write.`)
    const [, , , , figure = '', , , note = ''] = found.split('|').map((cell) => cell.trim())
    const reached = loses?.(Number.parseFloat(figure)) ? `**${figure}**` : figure
    return `| ${[what, reached, comparedWith, note].join(' | ')} |`
  })
  return ['| what | Rail | compared with | |', '| --- | --- | --- | --- |', ...lines].join('\n')
}
