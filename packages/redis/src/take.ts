import type { Charge, Decision, Limit, LimitStatus } from '@rail/core'
import { costFor, decisionOf, disjoint, fits, statusOf, tokensTaken } from '@rail/core/store'
import { storeFailure } from './batch.js'
import type { KeyName } from './key-name.js'
import { formatFor, grainsFor, type LimitLines, linesOf } from './limit-lines.js'

/** One charge of an ask. */
interface AskedCharge {
  readonly charge: Charge
  readonly scope: string
  readonly lines: LimitLines
  /** What the same request took before from each of its buckets, in tokens; `undefined` where it took nothing at all. */
  readonly taken: readonly number[] | undefined
  /** The place of its first bucket among the statuses of the decision. */
  readonly place: number
}

/** The charges whose buckets are in one key of Redis, and so are asked together. */
export interface AskedKey extends KeyName {
  readonly charges: AskedCharge[]
}

/** What one take or peek asks of Redis. */
export interface Ask {
  readonly keys: readonly AskedKey[]
  /** How many buckets. */
  readonly size: number
  /** Whether any charge was taken before. */
  readonly again: boolean
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
export function askFor(
  charges: readonly Charge[],
  nameOf: (scope: string, key: string) => KeyName,
  before: readonly Charge[] = NO_CHARGES,
): Ask {
  const keys: AskedKey[] = []
  let size = 0
  let again = false
  for (const charge of charges.length > 1 ? disjoint(charges) : charges) {
    const scope = charge.scope === undefined ? '' : charge.scope
    const { name, tag } = nameOf(scope, charge.key)
    const taken = before.length === 0 ? undefined : charge.limits.map((limit) => tokensTaken(before, charge, limit))
    const asked: AskedCharge = { charge, scope, lines: linesOf(charge.limits), taken, place: size }
    const met = keys.length === 0 ? undefined : keys.find((other) => other.name === name)
    if (met === undefined) keys.push({ name, tag, charges: [asked] })
    else met.charges.push(asked)
    size += charge.limits.length
    if (taken !== undefined) again = true
  }
  return { keys, size, again }
}

/** The arguments of an ask, as the script takes them. */
export function argumentsOf({ keys, again }: Ask, operation: 'take' | 'peek'): readonly string[] {
  if (operation === 'take' && !again && keys.length === 1) {
    const [asked, another] = (keys[0] as AskedKey).charges as [AskedCharge, ...AskedCharge[]]
    if (another === undefined) return asked.lines.oneFor(asked.charge.cost)
  }
  const args = [operation, String(keys.length), '', again ? '4' : '3']
  for (const { charges } of keys) {
    const [first, ...others] = charges as [AskedCharge, ...AskedCharge[]]
    let { text } = first.lines
    let buckets = first.charge.limits.length
    for (const { lines, charge } of others) {
      text += lines.text
      buckets += charge.limits.length
    }
    args.push(text, formatFor(text, buckets))
    for (const asked of charges) pushNumbers(args, asked, again)
  }
  args[2] = String(args.length - 3)
  return args
}

function pushNumbers(args: string[], { lines, charge, taken }: AskedCharge, again: boolean): void {
  const numbers = lines.numbersFor(charge.cost)
  for (let index = 0; index < charge.limits.length; index++) {
    args.push(numbers[3 * index] as string, numbers[3 * index + 1] as string, numbers[3 * index + 2] as string)
    if (again) args.push(String((taken?.[index] ?? 0) * (charge.limits[index] as Limit).grain))
  }
}

/**
 * Reads the answer to an ask from the numbers that begin at `first`; also says how many these are.
 *
 * @throws RailError `RAIL_STORE_FAILED` where they are no such answer
 */
export function readingOf({ keys, size }: Ask, numbers: readonly number[], first: number): [Reading, number] {
  const next = first + 1 + keys.length + size
  checkNumbers(numbers, first, next)
  const status = numbers[first] as number
  const last = next + Math.floor(status / 2)
  checkNumbers(numbers, next, last)
  const aheadMs: number[] = []
  const owed: number[] = []
  let at = first + 1
  for (const { charges } of keys) {
    aheadMs.push(numbers[at++] as number)
    for (const { charge } of charges) {
      for (let index = 0; index < charge.limits.length; index++) owed.push(numbers[at++] as number)
    }
  }
  const redefined = last === next ? NONE : numbers.slice(next, last).map((place) => place - 1)
  return [{ allowed: status % 2 === 1, aheadMs, owed, redefined }, last - first]
}

const NONE: readonly number[] = []
const NO_CHARGES: readonly Charge[] = []

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
export function decisionFrom({ keys, size }: Ask, { allowed, aheadMs, owed, redefined }: Reading): Decision {
  const statuses = new Array<LimitStatus>(size)
  const changed: number[] = []
  let bucket = 0
  for (let keyIndex = 0; keyIndex < keys.length; keyIndex++) {
    for (const { charge, scope, place } of (keys[keyIndex] as AskedKey).charges) {
      for (let index = 0; index < charge.limits.length; index++, bucket++) {
        const limit = charge.limits[index] as Limit
        const cost = costFor(limit, charge.cost)
        const owes = owed[bucket] as number
        const refused = !allowed && !fits(owes, limit, cost)
        statuses[place + index] = statusOf(limit, charge.key, scope, cost, refused, owes, aheadMs[keyIndex] as number)
        if (redefined !== NONE && redefined.includes(bucket)) changed.push(place + index)
      }
    }
  }
  if (changed.length === 0) return decisionOf(statuses)
  return decisionOf(
    statuses,
    changed.sort((a, b) => a - b).map((place) => statuses[place] as LimitStatus),
  )
}
