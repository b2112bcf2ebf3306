import { type Charge, type Decision, type Limit, type LimitStatus, RailError, type Store } from '@rail/core'
import { checkCost, checkedCharges, checkKey, checkNow, checkOption } from '@rail/core/store'
import {
  type ChargedBucket,
  type ExactBucket,
  type ExactRow,
  grainsOf,
  rateOf,
  sameDefinition,
} from './exact-bucket.js'
import {
  ceil,
  compare,
  dividedBy,
  type Fraction,
  floor,
  least,
  minus,
  most,
  plus,
  ratio,
  reduced,
  times,
  whole,
  ZERO,
} from './fraction.js'

/** How far the clock may step back before a key is re-anchored. */
const MOST_AHEAD_MS = 60_000
const MOST_OWED_GRAINS = BigInt(Number.MAX_SAFE_INTEGER)

/**
 * The contract of a store in exact rational numbers of tokens. It is slow, but easy to read, and shares no code with the
 * stores that are compared with it. It drops no key and has no bound.
 *
 * Broken stores override the protected methods.
 */
export class ExactStore implements Store {
  protected readonly rows = new Map<string, ExactRow>()

  take(charges: readonly Charge[], now: number, before: readonly Charge[] = []): Decision {
    return this.decide(this.checked(charges, now), now, true, this.checked(before, now))
  }

  peek(charges: readonly Charge[], now: number, before: readonly Charge[] = []): Decision {
    return this.decide(this.checked(charges, now), now, false, this.checked(before, now))
  }

  settle(charges: readonly Charge[], actual: number, now: number): void {
    checkCost(actual, 'settle()')
    for (const { scope = '', key, limits, cost } of this.checked(charges, now)) {
      const counted = limits.filter((limit) => limit.counts === 'cost')
      if (actual === cost || counted.length === 0) continue
      const row = this.broughtTo(now, this.rows.get(this.rowId(scope, key)))
      for (const limit of counted) {
        const bucket = row.buckets.get(limit.name) ?? this.fullBucket(limit)
        row.buckets.set(limit.name, this.moved(bucket, actual - cost))
      }
      this.keep(scope, key, row)
    }
  }

  reset(key: string, scope = ''): void {
    checkKey(key, 'key of reset()')
    checkOption('scope', scope, 'a string', (value) => typeof value === 'string')
    this.rows.delete(this.rowId(scope, key))
  }

  /** The charges and the moment that a caller passes, checked. */
  protected checked(charges: readonly Charge[], now: number): readonly Charge[] {
    checkNow(now)
    return checkedCharges(charges)
  }

  protected decide(charges: readonly Charge[], now: number, commit: boolean, before: readonly Charge[]): Decision {
    const charged = this.together(charges)
    const earlier = new Map(this.together(before).map((bucket) => [this.bucketId(bucket), bucket]))
    const rows = new Map<string, ExactRow>()
    const rowOf = (scope: string, key: string): ExactRow => {
      const id = this.rowId(scope, key)
      const row = rows.get(id) ?? this.broughtTo(now, this.rows.get(id))
      rows.set(id, row)
      return row
    }
    const found = charged.map((one) => {
      const bucket = rowOf(one.scope, one.key).buckets.get(one.limit.name)
      const tokens = earlier.get(this.bucketId(one))?.cost ?? 0
      earlier.delete(this.bucketId(one))
      if (bucket === undefined) return this.fullBucket(one.limit)
      return this.moved(this.carriedOver(bucket, one.limit), -tokens)
    })
    const refused = charged.map(({ limit, cost }, index) => !this.fits((found[index] as ExactBucket).owed, limit, cost))
    const allowed = !refused.includes(true)
    const statuses = charged.map(({ scope, key, limit, cost }, index) => {
      const row = rows.get(this.rowId(scope, key)) as ExactRow
      const before = found[index] as ExactBucket
      const after = this.takes(limit, allowed) ? this.moved(before, cost) : before
      row.buckets.set(limit.name, after)
      const aheadMs = row.at - now
      return this.statusOf({ scope, key, limit, cost }, refused[index] === true, after.owed, aheadMs)
    })
    if (commit && this.writes(allowed)) {
      for (const { scope, key, limit, cost } of earlier.values()) {
        const { buckets } = rowOf(scope, key)
        const bucket = buckets.get(limit.name)
        if (bucket !== undefined) buckets.set(limit.name, this.moved(bucket, -cost))
      }
      for (const { scope, key } of [...charged, ...earlier.values()]) this.keep(scope, key, rowOf(scope, key))
    }
    return this.decisionOf(statuses)
  }

  protected rowId(scope: string, key: string): string {
    return JSON.stringify([scope, key])
  }

  protected bucketId({ scope, key, limit }: ChargedBucket): string {
    return JSON.stringify([scope, key, limit.name])
  }

  /** The buckets that are charged, each once: charges that meet in one are checked with their costs added. */
  protected together(charges: readonly Charge[]): readonly ChargedBucket[] {
    const charged = new Map<string, ChargedBucket>()
    for (const { scope = '', key, limits, cost } of charges) {
      for (const limit of limits) {
        const id = JSON.stringify([scope, key, limit.name])
        const met = charged.get(id)
        if (met !== undefined && (!sameDefinition(met.limit, limit) || met.limit.counts !== limit.counts)) {
          throw new RailError('RAIL_BAD_CHARGES', `charges: expected one definition of limit "${limit.name}", got two.`)
        }
        const tokens = this.costFor(limit, cost)
        charged.set(id, { scope, key, limit, cost: met === undefined ? tokens : this.sumFor(limit, met.cost, tokens) })
      }
    }
    return [...charged.values()]
  }

  /** Tokens that a request of this cost takes from a limit. */
  protected costFor(limit: Limit, cost: number): number {
    return limit.counts === 'requests' ? 1 : cost
  }

  protected sumFor(limit: Limit, a: number, b: number): number {
    return limit.counts === 'requests' ? Math.max(a, b) : a + b
  }

  /** A copy of a row, drained to `now`. */
  protected broughtTo(now: number, row: ExactRow | undefined): ExactRow {
    const buckets = new Map<string, ExactBucket>()
    if (row === undefined) return { at: now, buckets }
    const elapsedMs = this.elapsedMs(row.at, now)
    for (const [name, bucket] of row.buckets) {
      const left = this.shifted(bucket, times(rateOf(bucket.limit), whole(-elapsedMs)))
      if (this.owes(left)) buckets.set(name, left)
    }
    return { at: buckets.size === 0 ? now : this.atAfter(row.at, now), buckets }
  }

  protected elapsedMs(at: number, now: number): number {
    return Math.max(0, now - at)
  }

  /** `at` never moves back, unless the clock has stepped back too far. */
  protected atAfter(at: number, now: number): number {
    return at - now > MOST_AHEAD_MS ? now : Math.max(at, now)
  }

  protected fullBucket(limit: Limit): ExactBucket {
    return { limit, owed: ZERO, cut: ZERO }
  }

  /** Whether a bucket is not full: a full one is the same as a missing one. */
  protected owes({ owed, cut }: ExactBucket): boolean {
    return compare(owed, ZERO) > 0 || compare(cut, ZERO) > 0
  }

  protected isRedefined({ limit }: ExactBucket, now: Limit): boolean {
    return !sameDefinition(limit, now)
  }

  /**
   * A bucket under another definition of its limit. Spent tokens stay spent: those that a smaller size has no room for are
   * cut off and kept, and count again as far as the size grows.
   */
  protected carriedOver(bucket: ExactBucket, to: Limit): ExactBucket {
    const { limit } = bucket
    if (sameDefinition(limit, to)) return { ...bucket, limit: to }
    const spent = this.inGrains(least(bucket.owed, whole(limit.burst)), to)
    const debt = this.inGrains(most(minus(bucket.owed, whole(limit.burst)), ZERO), to)
    const cut = this.inGrains(bucket.cut, to)
    const counted = least(cut, most(whole(to.burst - limit.burst), ZERO))
    const shown = least(plus(spent, counted), whole(to.burst))
    const hidden = minus(plus(spent, cut), shown)
    return this.boundedBucket({ limit: to, owed: plus(shown, debt), cut: hidden })
  }

  /** Rounded up to whole grains of a limit. */
  protected inGrains(tokens: Fraction, limit: Limit): Fraction {
    const grains = grainsOf(limit)
    return ratio(ceil(times(tokens, whole(grains))), grains)
  }

  protected bounded(owed: Fraction, limit: Limit): Fraction {
    return reduced(least(owed, ratio(MOST_OWED_GRAINS, grainsOf(limit))))
  }

  /** A bucket's debt is bounded, alone and with the tokens that were cut off. */
  protected boundedBucket(bucket: ExactBucket): ExactBucket {
    const { limit } = bucket
    const owed = this.bounded(bucket.owed, limit)
    const all = this.bounded(plus(owed, bucket.cut), limit)
    return { limit, owed, cut: most(reduced(minus(all, owed)), ZERO) }
  }

  protected fits(owed: Fraction, limit: Limit, cost: number): boolean {
    if (cost === 0) return true
    return cost <= limit.wholeBurst && compare(owed, this.roomFor(limit, cost)) <= 0
  }

  /** The most that may be owed for this cost to fit. */
  protected roomFor(limit: Limit, cost: number): Fraction {
    return whole(limit.burst - Math.min(cost, limit.burst))
  }

  protected takes(_limit: Limit, allowed: boolean): boolean {
    return allowed
  }

  protected writes(_allowed: boolean): boolean {
    return true
  }

  /** A bucket from which so many tokens more (or, below 0, fewer) are taken. */
  protected moved(bucket: ExactBucket, tokens: number): ExactBucket {
    return this.shifted(bucket, whole(tokens))
  }

  /** A bucket that owes so much more or, below 0, less: first of what it shows, then of what was cut off. */
  protected shifted({ limit, owed, cut }: ExactBucket, by: Fraction): ExactBucket {
    const owes = plus(owed, by)
    const beyond = least(owes, ZERO)
    return this.boundedBucket({ limit, owed: most(owes, ZERO), cut: most(plus(cut, beyond), ZERO) })
  }

  protected keep(scope: string, key: string, row: ExactRow): void {
    for (const [name, bucket] of row.buckets) if (!this.owes(bucket)) row.buckets.delete(name)
    if (row.buckets.size === 0) this.rows.delete(this.rowId(scope, key))
    else this.rows.set(this.rowId(scope, key), row)
  }

  protected statusOf(
    { scope, key, limit, cost }: ChargedBucket,
    refused: boolean,
    owed: Fraction,
    aheadMs: number,
  ): LimitStatus {
    return {
      limit,
      key,
      scope,
      cost,
      refused,
      remaining: Number(this.rounded(most(minus(whole(limit.burst), owed), ZERO))),
      retryAfterMs: this.waitFor(owed, limit, refused ? cost : 1, aheadMs),
      fullAfterMs: compare(owed, ZERO) > 0 ? aheadMs + this.drainMs(owed, limit) : 0,
    }
  }

  /** Tokens left, as reported. */
  protected rounded(tokens: Fraction): bigint {
    return floor(tokens)
  }

  protected waitFor(owed: Fraction, limit: Limit, cost: number, aheadMs: number): number {
    if (this.fits(owed, limit, cost)) return 0
    if (cost > limit.wholeBurst) return Number.POSITIVE_INFINITY
    return aheadMs + this.drainMs(minus(owed, this.roomFor(limit, cost)), limit)
  }

  /** Milliseconds in which so many tokens drain, as reported. */
  protected drainMs(tokens: Fraction, limit: Limit): number {
    return Number(ceil(dividedBy(tokens, rateOf(limit))))
  }

  protected decisionOf(limits: readonly LimitStatus[]): Decision {
    const refusing = limits.filter((status) => status.refused)
    return {
      allowed: refusing.length === 0,
      limits,
      retryAfterMs: Math.max(0, ...refusing.map((status) => status.retryAfterMs)),
      refusedBy: refusing.map(({ scope, limit }) => (scope === '' ? limit.name : `${scope}.${limit.name}`)),
    }
  }
}
