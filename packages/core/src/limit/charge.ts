import { advice, adviceOnCost } from '../base/advice.js'
import { railError, shown, unexpected } from '../base/errors.js'
import { type Limit, sameBucket } from './limit.js'

/**
 * One key that a request is charged to, the limits that apply, and a cost. A bucket is identified by the scope, the key and
 * the limit's name.
 */
export interface Charge {
  /** Keeps buckets of one key apart. @default '' */
  readonly scope?: string | undefined
  /** Who is charged: a non-empty string. */
  readonly key: string
  /** All allow the request, or none is charged. The array must not change afterwards: for other limits make another. */
  readonly limits: readonly Limit[]
  /** Tokens, a whole number from 0. */
  readonly cost: number
}

/** Checks a key. @throws RailError `RAIL_BAD_KEY` */
export function checkKey(key: unknown, subject: string): asserts key is string {
  if (typeof key === 'string' && key !== '') return
  const toDo = advice(typeof key === 'number' ? 'Return String(id).' : 'Return the id of a customer.')
  throw unexpected('RAIL_BAD_KEY', subject, 'a non-empty string', key, toDo)
}

/** Checks a cost. @throws RailError `RAIL_BAD_COST` */
export function checkCost(cost: unknown, subject: string): asserts cost is number {
  if (Number.isSafeInteger(cost) && (cost as number) >= 0) return
  throw unexpected('RAIL_BAD_COST', subject, 'a whole number of tokens from 0', cost, adviceOnCost(cost))
}

/** What identifies a charge's bucket among all others, as one string. */
export function bucketId({ scope = '', key }: Pick<Charge, 'scope' | 'key'>, { name }: Pick<Limit, 'name'>): string {
  return JSON.stringify([scope, key, name])
}

/**
 * The same charges, each bucket only once: where charges share a scope, a key and a limit's name, their costs are added.
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
      throw railError(
        'RAIL_BAD_CHARGES',
        `charges: two charges of key ${shown(bucket.key)} define limit "${limit.name}" differently`,
        advice('Give one a scope or another name.'),
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
