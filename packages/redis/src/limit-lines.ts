import type { Limit } from '@rail/core'
import { costFor, MOST_OWED } from '@rail/core/store'

/** Some limits as arguments of the script. */
export interface LimitLines {
  /** A line for each limit: its definition and its name. */
  readonly text: string
  /** For each limit: its flow, the most that may be owed for this cost to fit, the grains to take. */
  numbersFor(cost: number): readonly string[]
  /** All arguments of a take of this cost from one key. */
  takeOf(cost: number): readonly string[]
}

/** The lines of some limits. Made once for each array of limits, which never changes after it has been charged. */
export function linesOf(limits: readonly Limit[]): LimitLines {
  let lines = known.get(limits)
  if (lines === undefined) {
    lines = makeLines(limits)
    known.set(limits, lines)
  }
  return lines
}

const known = new WeakMap<readonly Limit[], LimitLines>()

function makeLines(limits: readonly Limit[]): LimitLines {
  const text = limits
    .map(({ grain, flow, burst, wholeBurst, name }) => `${grain} ${flow} ${burst} ${wholeBurst} ${name}\n`)
    .join('')
  const format = formatFor(text, limits.length)
  const numbersFor = byCost((cost) =>
    limits.flatMap((limit) => [String(limit.flow), roomFor(limit, cost), grainsFor(limit, cost)]),
  )
  return { text, numbersFor, takeOf: byCost((cost) => ['take', text, format, ...numbersFor(cost)]) }
}

function byCost(make: (cost: number) => readonly string[]): (cost: number) => readonly string[] {
  const made = new Map<number, readonly string[]>()
  return (cost) => {
    let args = made.get(cost)
    if (args === undefined) {
      args = make(cost)
      if (made.size < MOST_COSTS) made.set(cost, args)
    }
    return args
  }
}

/** Most requests cost one of a few numbers. The arguments of other costs are made each time. */
const MOST_COSTS = 32

/** The `struct` format of a value in Redis: its lines, `at`, what each bucket owes. */
export function formatFor(text: string, buckets: number): string {
  return `<c${String(text.length).padStart(8, '0')}${'d'.repeat(buckets + 1)}`
}

/** The most that may be owed for a cost to fit: -1 where it never does. */
function roomFor(limit: Limit, cost: number): string {
  const tokens = costFor(limit, cost)
  if (tokens === 0) return String(MOST_OWED)
  return String(tokens > limit.wholeBurst ? -1 : limit.size - Math.min(tokens, limit.burst) * limit.grain)
}

/** The grains of a cost. Past 2^53 they are not exact, and more than anything that fits or is owed. */
function grainsFor(limit: Limit, cost: number): string {
  return String(costFor(limit, cost) * limit.grain)
}
