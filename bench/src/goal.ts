import { median } from './statistics.js'

/** What is to be reached: a bound that the figure must not pass, and a looser one that CI holds on noisy machines. */
export interface Goal {
  readonly at: 'most' | 'least'
  readonly reach: number
  readonly gate: number
}

/** One line of a table. */
export interface Row {
  readonly what: string
  readonly against: string
  /** The figure of each round. */
  readonly rounds: readonly number[]
  /** How a figure is written. @default a ratio with two decimals */
  readonly unit?: 'ratio' | 'times' | 'ms' | 'bytes' | 'us' | 'kB' | 'count'
  /** None where the line is only for information. */
  readonly goal?: Goal
  /** Anything worth a word beside the figure. */
  readonly note?: string
}

export const atMost = (reach: number, gate: number): Goal => ({ at: 'most', reach, gate })
export const atLeast = (reach: number, gate: number): Goal => ({ at: 'least', reach, gate })

/** The figure of a row: the median of its rounds. */
export function figureOf({ rounds }: Row): number {
  return median(rounds)
}

export function isReached(row: Row): boolean | undefined {
  return row.goal && holds(figureOf(row), row.goal.at, row.goal.reach)
}

/** Whether the row is within its gate; a row without a goal always is. */
export function isWithinGate(row: Row): boolean {
  return row.goal === undefined || holds(figureOf(row), row.goal.at, row.goal.gate)
}

function holds(figure: number, at: Goal['at'], bound: number): boolean {
  return at === 'most' ? figure <= bound : figure >= bound
}
