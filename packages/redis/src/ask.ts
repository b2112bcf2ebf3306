import {
  type Charge,
  costFor,
  type Decision,
  decisionOf,
  disjoint,
  fits,
  type Limit,
  type LimitStatus,
  statusOf,
} from '@rail/core'
import { storeFailure } from './batch.js'
import type { KeyName } from './key-names.js'
import { formatFor, grainsFor, linesOf } from './limit-lines.js'

/** One bucket that is asked. */
interface AskedBucket {
  readonly limit: Limit
  readonly key: string
  readonly scope: string
  /** In tokens. */
  readonly cost: number
  /** Its place among the statuses of the decision. */
  readonly place: number
}

/** The buckets that are in one key of Redis, and so are asked together. */
interface AskedKey extends KeyName {
  readonly lines: string
  readonly numbers: readonly string[]
  readonly buckets: readonly AskedBucket[]
}

/** What one take or peek asks of Redis. */
export interface Ask {
  readonly keys: readonly AskedKey[]
  /** How many numbers the script gets for each limit. */
  readonly stride: 3 | 4
}

/** What is owed when an ask has been answered, in the order of its keys and their buckets. */
export interface Reading {
  readonly allowed: boolean
  /** How far the clock has stepped back behind each key, in milliseconds. */
  readonly aheadMs: readonly number[]
  /** What each bucket owes, in grains. */
  readonly owed: readonly number[]
  /** The buckets whose limit had changed under what they owed, counted from 0. */
  readonly redefined: readonly number[]
}

/** What the charges of a request ask. @throws RailError `RAIL_BAD_CHARGES` where two meet under different definitions */
export function askFor(charges: readonly Charge[], nameOf: (scope: string, key: string) => KeyName): Ask {
  const apart = charges.length > 1 ? disjoint(charges) : charges
  const stride = apart.some((charge) => charge.taken !== undefined) ? 4 : 3
  const keys: AskedKey[] = []
  let place = 0
  for (const { scope = '', key, limits, cost, taken } of apart) {
    const { lines, numbersFor } = linesOf(limits)
    const asked: AskedKey = {
      ...nameOf(scope, key),
      lines,
      numbers: stride === 3 ? numbersFor(cost) : withGivenBack(numbersFor(cost), limits, taken),
      buckets: limits.map((limit) => ({ limit, key, scope, cost: costFor(limit, cost), place: place++ })),
    }
    const met = keys.findIndex((other) => other.name === asked.name)
    if (met === -1) keys.push(asked)
    else keys[met] = together(keys[met] as AskedKey, asked)
  }
  return { keys, stride }
}

function withGivenBack(numbers: readonly string[], limits: readonly Limit[], taken: number | undefined): string[] {
  return limits.flatMap((limit, index) => [
    ...numbers.slice(3 * index, 3 * index + 3),
    taken === undefined ? '0' : grainsFor(limit, taken),
  ])
}

/** The buckets of two charges of one key. */
function together(one: AskedKey, other: AskedKey): AskedKey {
  return {
    ...one,
    lines: one.lines + other.lines,
    numbers: [...one.numbers, ...other.numbers],
    buckets: [...one.buckets, ...other.buckets],
  }
}

/** The arguments of an ask, as the script takes them. */
export function argumentsOf({ keys, stride }: Ask, operation: 'take' | 'peek'): string[] {
  const args = [operation, String(keys.length), '', String(stride)]
  for (const { lines, buckets, numbers } of keys) {
    args.push(lines, formatFor(buckets.length))
    for (const number of numbers) args.push(number)
  }
  args[2] = String(args.length - 3)
  return args
}

/**
 * Reads the answer to an ask from the numbers that begin at `first`; also says how many these are.
 *
 * @throws RailError `RAIL_STORE_FAILED` where they are no such answer
 */
export function readingOf({ keys }: Ask, numbers: readonly number[], first: number): [Reading, number] {
  const aheadMs: number[] = []
  const owed: number[] = []
  let next = first
  const status = numbers[next++] as number
  for (const { buckets } of keys) {
    aheadMs.push(numbers[next++] as number)
    for (let index = 0; index < buckets.length; index++) owed.push(numbers[next++] as number)
  }
  checkNumbers(numbers, first, next)
  const last = next + Math.floor(status / 2)
  checkNumbers(numbers, next, last)
  const redefined = last === next ? NONE : numbers.slice(next, last).map((place) => place - 1)
  return [{ allowed: status % 2 === 1, aheadMs, owed, redefined }, last - first]
}

const NONE: readonly number[] = []

/** @throws RailError `RAIL_STORE_FAILED` unless there are numbers from `first` up to `next` */
export function checkNumbers(numbers: readonly number[], first: number, next: number): void {
  for (let index = first; index < next; index++) {
    const number = numbers[index]
    if (number === undefined || Number.isNaN(number)) {
      throw storeFailure('Redis answered something else than the numbers of the script.')
    }
  }
}

/** The decision that a reading makes. */
export function decisionFrom({ keys }: Ask, { allowed, aheadMs, owed, redefined }: Reading): Decision {
  const statuses = new Array<LimitStatus>(owed.length)
  const changed: number[] = []
  let index = 0
  for (let keyIndex = 0; keyIndex < keys.length; keyIndex++) {
    for (const { limit, key, scope, cost, place } of (keys[keyIndex] as AskedKey).buckets) {
      const owes = owed[index] as number
      const refused = !allowed && !fits(owes, limit, cost)
      statuses[place] = statusOf(limit, key, scope, cost, refused, owes, aheadMs[keyIndex] as number)
      if (redefined.includes(index)) changed.push(place)
      index++
    }
  }
  if (changed.length === 0) return decisionOf(statuses)
  return decisionOf(
    statuses,
    changed.sort((a, b) => a - b).map((place) => statuses[place] as LimitStatus),
  )
}
