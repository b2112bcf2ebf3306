import type { Charge, Decision, Limit, LimitStatus } from '@rail/core'
import type { ChargedBucket, ExactBucket } from '../../../src/exact/exact-bucket.js'
import { ExactStore } from '../../../src/exact/exact-store.js'
import { ceil, compare, type Fraction, floor, least, plus, whole, ZERO } from '../../../src/exact/fraction.js'
import { charging, joined, limiting, type Mutant, mutant } from './mutant.js'

class StartsWithATokenOwed extends ExactStore {
  readonly #keys = new Set<string>()

  override take(charges: readonly Charge[], now: number): Decision {
    for (const charge of charges) {
      if (!this.#keys.has(charge.key)) super.take([{ ...charge, cost: 1 }], now)
      this.#keys.add(charge.key)
    }
    return super.take(charges, now)
  }
}

class DrainsBySeconds extends ExactStore {
  protected override elapsedMs(at: number, now: number): number {
    return Math.floor(super.elapsedMs(at, now) / 1_000) * 1_000
  }
}

export class FillsAboveFull extends ExactStore {
  protected override owes({ owed }: ExactBucket): boolean {
    return compare(owed, ZERO) !== 0
  }

  protected override shifted(bucket: ExactBucket, by: Fraction): ExactBucket {
    return { ...bucket, owed: plus(bucket.owed, by) }
  }
}

class AllowsAnyCostInAFullBucket extends ExactStore {
  protected override fits(owed: Fraction, limit: Limit, cost: number): boolean {
    return super.fits(owed, limit, Math.min(cost, limit.wholeBurst))
  }
}

class AllowsAnyCostInAShare extends ExactStore {
  protected override fits(owed: Fraction, limit: Limit, cost: number): boolean {
    return super.fits(owed, limit, limit.burst < limit.wholeBurst ? Math.min(cost, limit.wholeBurst) : cost)
  }
}

class MakesLargeCostsImpossible extends ExactStore {
  protected override fits(owed: Fraction, limit: Limit, cost: number): boolean {
    return cost <= limit.burst && super.fits(owed, limit, cost)
  }
}

class ForgivesDebt extends ExactStore {
  protected override bounded(owed: Fraction, limit: Limit): Fraction {
    return least(super.bounded(owed, limit), whole(limit.burst))
  }
}

/** With the drain time as `change` has it. */
function draining(change: (exact: number) => number): new () => ExactStore {
  return class extends ExactStore {
    protected override drainMs(tokens: Fraction, limit: Limit): number {
      return change(super.drainMs(tokens, limit))
    }
  }
}

class RoundsTheWaitDown extends ExactStore {
  protected override drainMs(tokens: Fraction, limit: Limit): number {
    return Number(floor({ over: tokens.over * BigInt(limit.windowMs), under: tokens.under * BigInt(limit.tokens) }))
  }
}

class RoundsTokensUp extends ExactStore {
  protected override rounded(tokens: Fraction): bigint {
    return ceil(tokens)
  }
}

class TakesBeforeItChecksTheNext extends ExactStore {
  protected override decide(
    charges: readonly Charge[],
    now: number,
    commit: boolean,
    before: readonly Charge[],
  ): Decision {
    const each = charges.flatMap((charge) => charge.limits.map((limit) => ({ ...charge, limits: [limit] })))
    return joined(each.map((charge) => super.decide([charge], now, commit, before)))
  }
}

class ReportsTheLongestWaitOfAll extends ExactStore {
  protected override decisionOf(limits: readonly LimitStatus[]): Decision {
    return {
      ...super.decisionOf(limits),
      retryAfterMs: Math.max(0, ...limits.map((status) => status.retryAfterMs)),
    }
  }
}

class NamesOnlyTheFirst extends ExactStore {
  protected override decisionOf(limits: readonly LimitStatus[]): Decision {
    const decision = super.decisionOf(limits)
    return { ...decision, refusedBy: decision.refusedBy.slice(0, 1) }
  }
}

class MarksAllAsRefused extends ExactStore {
  protected override statusOf(bucket: ChargedBucket, refused: boolean, owed: Fraction, aheadMs: number): LimitStatus {
    const limits = super.statusOf(bucket, refused, owed, aheadMs)
    return { ...limits, refused: limits.retryAfterMs > 0 || bucket.cost > 1 }
  }
}

class ReportsTheWaitForTheCost extends ExactStore {
  protected override statusOf(bucket: ChargedBucket, refused: boolean, owed: Fraction, aheadMs: number): LimitStatus {
    return {
      ...super.statusOf(bucket, refused, owed, aheadMs),
      retryAfterMs: this.waitFor(owed, bucket.limit, bucket.cost, aheadMs),
    }
  }
}

class CountsCostAlways extends ExactStore {
  protected override costFor(_limit: Limit, cost: number): number {
    return cost
  }
}

class TakesATokenMore extends ExactStore {
  protected override moved(bucket: ExactBucket, tokens: number): ExactBucket {
    return tokens === 0 ? bucket : super.moved(bucket, tokens + 1)
  }
}

/** Mutants of the sentences about one bucket and about decisions. */
export const TAKING_MUTANTS: readonly Mutant[] = [
  mutant('a key that was never charged has full buckets', 'a new key owes a token', StartsWithATokenOwed),
  mutant(
    'a request fits while its cost is left, and takes its cost',
    'every request takes 1',
    charging((charge) => ({ ...charge, cost: 1 })),
  ),
  mutant('a request fits while its cost is left, and takes its cost', 'takes a token more', TakesATokenMore),
  mutant('a bucket drains evenly, millisecond by millisecond', 'drains by whole seconds', DrainsBySeconds),
  mutant('a bucket never has more than its burst, however long it was idle', 'the cap is left out', FillsAboveFull),
  mutant(
    'the burst is the size of the bucket, whatever the tokens per window',
    'the size is the tokens per window',
    limiting((limit) => ({ ...limit, burst: limit.tokens, wholeBurst: limit.tokens })),
  ),
  mutant(
    'a cost of 0 always fits and takes nothing',
    'a cost of 0 is taken for 1',
    charging((charge) => ({ ...charge, cost: charge.cost || 1 })),
  ),
  mutant(
    'a cost above the burst never fits: the wait is Infinity and nothing is taken',
    'a full bucket allows any cost',
    AllowsAnyCostInAFullBucket,
  ),
  mutant(
    'a full bucket of a share allows a cost above it, and the debt is waited off',
    'a cost above the share never fits',
    MakesLargeCostsImpossible,
  ),
  mutant(
    'a full bucket of a share allows a cost above it, and the debt is waited off',
    'debts are forgiven',
    ForgivesDebt,
  ),
  mutant('a share never allows a cost above the whole limit', 'a share allows any cost', AllowsAnyCostInAShare),
  mutant(
    'the wait is exact: a millisecond earlier is refused, and nothing later is needed',
    'floor for ceil',
    RoundsTheWaitDown,
  ),
  mutant(
    'the wait is exact: a millisecond earlier is refused, and nothing later is needed',
    'a millisecond too long',
    draining((exact) => exact + 1),
  ),
  mutant(
    'a refusal takes nothing from any limit',
    'takes from each limit before it checks the next',
    TakesBeforeItChecksTheNext,
  ),
  mutant(
    'the wait of a decision is the longest among the limits that refused, not among all',
    'the longest of all',
    ReportsTheLongestWaitOfAll,
  ),
  mutant(
    'refusedBy names the limits that refused, after their scope, in order; no other is marked as refused',
    'only the first is named',
    NamesOnlyTheFirst,
  ),
  mutant(
    'refusedBy names the limits that refused, after their scope, in order; no other is marked as refused',
    'all are marked',
    MarksAllAsRefused,
  ),
  mutant(
    'statuses are in the order of the charges and their limits, each with its limit, key, scope and cost',
    'limits are in the order of their names',
    charging((charge) => ({ ...charge, limits: charge.limits.toSorted((a, b) => (a.name < b.name ? -1 : 1)) })),
  ),
  mutant(
    'a limit that did not refuse reports the wait for one token, 0 while one is left',
    'the wait for the cost',
    ReportsTheWaitForTheCost,
  ),
  mutant(
    'fullAfterMs is exact: a millisecond earlier something is owed, then nothing',
    'floor for ceil',
    RoundsTheWaitDown,
  ),
  mutant('tokens left are rounded down', 'rounded up', RoundsTokensUp),
  mutant('a limit that counts requests takes 1 from each, whatever the cost', 'it takes the cost', CountsCostAlways),
]
