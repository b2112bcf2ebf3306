import type { Charge, Decision, Limit, LimitStatus, RailError } from '@rail/core'
import { chargesBeside, costFor, decisionOf, disjoint, fits, statusOf, tokensTaken } from '@rail/core/store'
import { storeFailure } from './failure.js'
import type { KeyName } from './key-name.js'
import { formatFor, type LimitLines, linesOf } from './limit-lines.js'

/** One charge of a take. */
interface TakeCharge {
  readonly charge: Charge
  readonly scope: string
  readonly lines: LimitLines
  /** The place of its first bucket among the statuses of the decision. */
  readonly place: number
}

/** One key of Redis, and the charges whose buckets it holds. */
interface TakeKey extends KeyName {
  readonly charges: TakeCharge[]
}

/** One take or peek. */
export interface Take {
  readonly keys: readonly TakeKey[]
  /** The number of buckets. */
  readonly size: number
  /** What the same request took earlier. */
  readonly before: readonly Charge[]
  /** Gives back the part of it that was taken from other buckets. */
  readonly gives: readonly Move[]
}

/** Tokens to move in the buckets of one key. */
export interface Move {
  readonly key: KeyName
  /** The lines of the limits, and the tokens. */
  readonly args: readonly string[]
}

/** What Redis answers to a take: numbers in the order of its keys and of their buckets. */
export interface Reading {
  readonly allowed: boolean
  /** Whether a key had a value that Rail did not write. */
  readonly isForeign: boolean
  /** How far the clock has stepped back behind each key, in milliseconds. */
  readonly aheadMs: readonly number[]
  /** What each bucket owes, in grains. */
  readonly owed: readonly number[]
}

/**
 * The take of a request's charges.
 *
 * @throws RailError `RAIL_BAD_CHARGES` where two charges meet in a bucket under different definitions
 */
export function takeFor(
  charges: readonly Charge[],
  nameOf: (scope: string, key: string) => KeyName,
  before: readonly Charge[] = NO_CHARGES,
): Take {
  const keys: TakeKey[] = []
  let size = 0
  for (const charge of charges.length > 1 ? disjoint(charges) : charges) {
    const scope = charge.scope === undefined ? '' : charge.scope
    const { key, name, tag } = nameOf(scope, charge.key)
    const added: TakeCharge = { charge, scope, lines: linesOf(charge.limits), place: size }
    const met = keys.length === 0 ? undefined : keys.find((other) => other.name === name)
    // Name by name: a spread of the object cost a seventh of the checks at 50 at once.
    if (met === undefined) keys.push({ scope, key, name, tag, charges: [added] })
    else met.charges.push(added)
    size += charge.limits.length
  }
  return { keys, size, before, gives: before.length === 0 ? NO_MOVES : givesOf(charges, before, nameOf) }
}

const NO_CHARGES: readonly Charge[] = []
const NO_MOVES: readonly Move[] = []

/** The moves that give back what the same request took earlier from other buckets than those of a take. */
function givesOf(
  charges: readonly Charge[],
  before: readonly Charge[],
  nameOf: (scope: string, key: string) => KeyName,
): readonly Move[] {
  return chargesBeside(disjoint(before), charges).flatMap(({ scope = '', key, limits, cost }) =>
    limits.map((limit) => ({
      key: nameOf(scope, key),
      args: [linesOf([limit]).text, String(-costFor(limit, cost))],
    })),
  )
}

/** The keys and arguments of a take or peek. */
export function commandOf(take: Take, operation: 'take' | 'peek'): [keys: readonly KeyName[], args: readonly string[]] {
  const { keys, before, gives } = take
  const [first, another] = keys
  const only = another === undefined && first?.charges.length === 1 ? first.charges[0] : undefined
  if (operation === 'take' && only !== undefined && before.length === 0) {
    return [keys, only.lines.takeOf(only.charge.cost)]
  }
  const args: string[] = []
  let name = before.length === 0 ? operation : `re${operation}`
  for (const { charges } of keys) {
    const lines = charges.map((each) => each.lines.text).join('')
    const buckets = charges.reduce((sum, { charge }) => sum + charge.limits.length, 0)
    args.push(name, lines, formatFor(lines, buckets))
    for (const each of charges) args.push(...numbersOf(each, before))
    name = 'and'
  }
  if (operation === 'peek') return [keys, args]
  for (const give of gives) args.push('give', ...give.args)
  return [[...keys, ...gives.map((give) => give.key)], args]
}

function numbersOf({ lines, charge }: TakeCharge, before: readonly Charge[]): readonly string[] {
  const numbers = lines.numbersFor(charge.cost)
  if (before.length === 0) return numbers
  return charge.limits.flatMap((limit, index) => {
    const back = tokensTaken(before, charge, limit) * limit.grain
    return [...numbers.slice(3 * index, 3 * index + 3), String(back)]
  })
}

/**
 * Reads the reply to a take from the numbers that begin at `first`. Also returns how many numbers the reply has.
 *
 * @throws RailError `RAIL_STORE_FAILED` where the numbers are no such reply
 */
export function readingOf({ keys, size }: Take, numbers: readonly number[], first: number): [Reading, number] {
  const count = 1 + keys.length + size
  checkNumbers(numbers, first, first + count)
  const verdict = numbers[first] as number
  if (verdict > 3) throw notOfScript()
  const aheadMs: number[] = []
  const owed: number[] = []
  let at = first + 1
  for (const { charges } of keys) {
    aheadMs.push(numbers[at++] as number)
    for (const { charge } of charges) {
      for (let index = 0; index < charge.limits.length; index++) owed.push(numbers[at++] as number)
    }
  }
  return [{ allowed: verdict % 2 === 1, isForeign: verdict > 1, aheadMs, owed }, count]
}

/** @throws RailError `RAIL_STORE_FAILED` unless there are numbers from `first` up to `next` */
export function checkNumbers(numbers: readonly number[], first: number, next: number): void {
  for (let index = first; index < next; index++) {
    const number = numbers[index]
    if (number === undefined || Number.isNaN(number)) {
      throw notOfScript()
    }
  }
}

function notOfScript(): RailError {
  return storeFailure('Redis: expected the numbers of the script as a reply, got something else')
}

/** The decision that a reading makes. */
export function decisionFrom({ keys, size }: Take, { allowed, aheadMs, owed }: Reading): Decision {
  const statuses = new Array<LimitStatus>(size)
  let bucket = 0
  for (let keyIndex = 0; keyIndex < keys.length; keyIndex++) {
    for (const { charge, scope, place } of (keys[keyIndex] as TakeKey).charges) {
      for (let index = 0; index < charge.limits.length; index++, bucket++) {
        const limit = charge.limits[index] as Limit
        const cost = costFor(limit, charge.cost)
        const owes = owed[bucket] as number
        const refused = !allowed && !fits(owes, limit, cost)
        statuses[place + index] = statusOf(limit, charge.key, scope, cost, refused, owes, aheadMs[keyIndex] as number)
      }
    }
  }
  return decisionOf(statuses)
}
