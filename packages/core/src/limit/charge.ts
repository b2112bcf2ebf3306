import { adviceOnNumber } from '../base/check.js'
import { RailError, shown } from '../base/errors.js'
import { type Limit, sameBucket } from './limit.js'

/**
 * What one request asks of one key: the limits that apply to it, and a cost. A bucket is identified by the scope, the
 * key and the limit's name.
 */
export interface Charge {
  /** Keeps buckets apart where one key meets different limits. @default '' */
  readonly scope?: string | undefined
  /** Who is charged: any text but `''`. */
  readonly key: string
  /** Asked together, all or nothing. Must not change once it has been charged; a new set is a new array. */
  readonly limits: readonly Limit[]
  /** Tokens, a whole number from 0. */
  readonly cost: number
}

/** Checks a key. @throws RailError `RAIL_BAD_KEY` */
export function checkKey(key: unknown, where: string): asserts key is string {
  if (typeof key !== 'string' || key === '') {
    throw new RailError(
      'RAIL_BAD_KEY',
      `${where} is a key, a non-empty text; got ${shown(key)}. Give the customer's id: a number by String(id).`,
    )
  }
}

/** Checks a cost. @throws RailError `RAIL_BAD_COST` */
export function checkCost(cost: unknown, where: string): asserts cost is number {
  if (typeof cost !== 'number' || !Number.isSafeInteger(cost) || cost < 0) {
    throw new RailError(
      'RAIL_BAD_COST',
      `${where} is a whole number of tokens from 0, got ${shown(cost)}. ${adviceOnNumber(cost) ?? adviceOn(cost as number)}`,
    )
  }
}

/** What to do about a number that is no cost. */
function adviceOn(cost: number): string {
  if (cost < 0) return 'Give 0 for what is free; settle() gives back what was taken too much.'
  return cost > Number.MAX_SAFE_INTEGER
    ? 'Lower it: a cost above the burst never fits.'
    : 'Round it up: Math.ceil(bytes / 1024).'
}

/** What a charge's bucket is told from all others by, as one text. */
export function bucketId({ scope = '', key }: Pick<Charge, 'scope' | 'key'>, { name }: Pick<Limit, 'name'>): string {
  return JSON.stringify([scope, key, name])
}

/**
 * The same charges with no two meeting in one bucket: where charges share a scope, a key and a limit's name, the bucket
 * is asked once with their costs added.
 *
 * @throws RailError `RAIL_BAD_CHARGES` when one bucket is charged under two definitions of its limit
 */
export function disjoint(charges: readonly Charge[]): readonly Charge[] {
  const buckets = charges.flatMap((charge) => charge.limits.map((limit) => ({ ...charge, limits: [limit] as const })))
  const merged = new Map<string, (typeof buckets)[number]>()
  for (const bucket of buckets) {
    const [limit] = bucket.limits
    const id = bucketId(bucket, limit)
    const met = merged.get(id)
    if (met !== undefined && (!sameBucket(met.limits[0], limit) || met.limits[0].counts !== limit.counts)) {
      throw new RailError(
        'RAIL_BAD_CHARGES',
        `Two charges of one request meet in the bucket of limit "${limit.name}" of key ${shown(bucket.key)} with different ` +
          'definitions of that limit. Give one of them another name or another scope.',
      )
    }
    merged.set(id, met === undefined ? bucket : { ...bucket, cost: met.cost + bucket.cost })
  }
  return merged.size === buckets.length ? charges : [...merged.values()]
}

/**
 * How many tokens charges of one request have taken from a bucket, all together: their costs, or 1 where the limit counts
 * requests. 0 where none of them is on the bucket.
 */
export function tokensTaken(
  charges: readonly Charge[],
  { scope = '', key }: Pick<Charge, 'scope' | 'key'>,
  { name }: Pick<Limit, 'name'>,
): number {
  let tokens = 0
  for (const charge of charges) {
    if (charge.key !== key || (charge.scope ?? '') !== scope) continue
    for (const limit of charge.limits) {
      if (limit.name === name) tokens = limit.counts === 'cost' ? tokens + charge.cost : 1
    }
  }
  return tokens
}

/** These charges without the buckets that `others` are on too. */
export function chargesBeside(charges: readonly Charge[], others: readonly Charge[]): readonly Charge[] {
  const buckets = new Set(others.flatMap((charge) => charge.limits.map((limit) => bucketId(charge, limit))))
  return charges.flatMap((charge) => {
    const limits = charge.limits.filter((limit) => !buckets.has(bucketId(charge, limit)))
    return limits.length === 0 ? [] : [limits.length === charge.limits.length ? charge : { ...charge, limits }]
  })
}
