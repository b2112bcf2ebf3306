// Two limits in Redis, beside PING, GET and the peers. After `npm run build`, since a user runs what is built:
// `npm --prefix bench run bench:redis`, some two minutes. `--short`: half a minute.
import { type RedisRow, redisRows } from './rows.js'

const short = process.argv.includes('--short')
const rows = await redisRows(short, (what) => process.stderr.write(`${what}\n`))

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
const written = (value: number, { unit }: RedisRow): string => (unit === 'count' ? String(value) : value.toFixed(2))

console.log('| what | against | goal | reached | rounds | verdict | |\n| --- | --- | --- | --- | --- | --- | --- |')
let past = 0
for (const row of rows) {
  const { what, against, rounds, goal, note = '' } = row
  const figure = median(rounds)
  const within = (bound: number): boolean => (goal?.at === 'most' ? figure <= bound : figure >= bound)
  const bound = goal === undefined ? '' : `${goal.at === 'most' ? '≤' : '≥'} ${written(goal.reach, row)}`
  const verdict = goal === undefined ? '' : within(goal.reach) ? 'yes' : 'no'
  if (goal !== undefined && !within(goal.gate)) past++
  const spread = `${written(Math.min(...rounds), row)} to ${written(Math.max(...rounds), row)}`
  console.log(`| ${[what, against, bound, written(figure, row), spread, verdict, note].join(' | ')} |`)
}
process.exit(past > 0 ? 1 : 0)
