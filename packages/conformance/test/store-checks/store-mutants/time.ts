import type { Charge, Decision, Limit, LimitStatus, Store } from '@rail/core'
import { type ChargedBucket, type ExactBucket, type ExactRow, rateOf } from '../../../src/exact/exact-bucket.js'
import { ExactStore } from '../../../src/exact/exact-store.js'
import {
  compare,
  type Fraction,
  floor,
  least,
  minus,
  most,
  plus,
  ratio,
  times,
  whole,
  ZERO,
} from '../../../src/exact/fraction.js'
import { joined, limiting, type Mutant, mutant } from './mutant.js'

class MintsOnAStepBack extends ExactStore {
  protected override elapsedMs(at: number, now: number): number {
    return Math.abs(now - at)
  }
}

class ReportsTheWaitWithoutTheStepBack extends ExactStore {
  protected override statusOf(bucket: ChargedBucket, refused: boolean, owed: Fraction): LimitStatus {
    return super.statusOf(bucket, refused, owed, 0)
  }
}

/** With the moment a row is drained to as `atAfter` has it. */
function anchored(atAfter: (at: number, now: number) => number): new () => ExactStore {
  return class extends ExactStore {
    protected override atAfter(at: number, now: number): number {
      return atAfter(at, now)
    }
  }
}

/** With time read as `read` reads it. */
function reading(read: (now: number) => number): new () => ExactStore {
  return class extends ExactStore {
    protected override decide(
      charges: readonly Charge[],
      now: number,
      commit: boolean,
      before: readonly Charge[],
    ): Decision {
      return super.decide(charges, read(now), commit, before)
    }
  }
}

export class WritesNoRefusals extends ExactStore {
  protected override writes(allowed: boolean): boolean {
    return allowed
  }
}

class KeepsThePastOfFullBuckets extends ExactStore {
  protected override broughtTo(now: number, row: ExactRow | undefined): ExactRow {
    const brought = super.broughtTo(now, row)
    return row === undefined ? brought : { ...brought, at: this.atAfter(row.at, now) }
  }

  protected override keep(scope: string, key: string, row: ExactRow): void {
    this.rows.set(this.rowId(scope, key), row)
  }
}

class KeepsAMomentForEachBucket implements Store {
  readonly #stores = new Map<string, ExactStore>()

  take(charges: readonly Charge[], now: number): Decision {
    return this.#each(charges, (store, one) => store.take(one, now))
  }

  peek(charges: readonly Charge[], now: number): Decision {
    return this.#each(charges, (store, one) => store.peek(one, now))
  }

  settle(): void {}

  reset(): void {}

  #each(charges: readonly Charge[], decide: (store: ExactStore, charges: readonly Charge[]) => Decision): Decision {
    return joined(
      charges.flatMap((charge) =>
        charge.limits.map((limit) => {
          const store = this.#stores.get(limit.name) ?? new ExactStore()
          this.#stores.set(limit.name, store)
          return decide(store, [{ ...charge, limits: [limit] }])
        }),
      ),
    )
  }
}

class KeepsOneMomentForAll extends ExactStore {
  #latest = Number.NEGATIVE_INFINITY

  protected override broughtTo(now: number, row: ExactRow | undefined): ExactRow {
    this.#latest = Math.max(this.#latest, now)
    return { ...super.broughtTo(now, row), at: this.#latest }
  }
}

/** With what a bucket owes and has cut off under another definition as `carry` has it. */
function carrying(
  carry: (bucket: ExactBucket, to: Limit, exact: ExactBucket) => Partial<ExactBucket>,
): new () => ExactStore {
  return class extends ExactStore {
    protected override carriedOver(bucket: ExactBucket, to: Limit): ExactBucket {
      const exact = super.carriedOver(bucket, to)
      return { ...exact, ...carry(bucket, to, exact) }
    }
  }
}

/** With a bucket that owes so much more or less as `shift` has it. */
function shifting(
  shift: (bucket: ExactBucket, by: Fraction, exact: ExactBucket) => Partial<ExactBucket>,
): new () => ExactStore {
  return class extends ExactStore {
    protected override shifted(bucket: ExactBucket, by: Fraction): ExactBucket {
      const exact = super.shifted(bucket, by)
      return { ...exact, ...shift(bucket, by, exact) }
    }
  }
}

class DrainsBothAtOnce extends ExactStore {
  protected override broughtTo(now: number, row: ExactRow | undefined): ExactRow {
    const brought = super.broughtTo(now, row)
    if (row === undefined) return brought
    const elapsedMs = this.elapsedMs(row.at, now)
    for (const [name, bucket] of brought.buckets) {
      const { limit, cut = ZERO } = row.buckets.get(name) ?? {}
      const drained = limit === undefined ? ZERO : times(rateOf(limit), whole(elapsedMs))
      brought.buckets.set(name, { ...bucket, cut: most(minus(cut, drained), ZERO) })
    }
    return brought
  }
}

const NeverDrainsWhatIsCut = shifting(({ cut }) => ({ cut }))
const GivesBackOnlyWhatIsShown = NeverDrainsWhatIsCut
const GivesBackWhatIsCutFirst = shifting(({ owed, cut }, by, exact) => {
  if (compare(by, ZERO) >= 0) return exact
  return { owed: most(plus(owed, least(plus(by, cut), ZERO)), ZERO), cut: most(plus(cut, by), ZERO) }
})

class IsFullWhenNothingIsShown extends ExactStore {
  protected override owes({ owed }: ExactBucket): boolean {
    return compare(owed, ZERO) > 0
  }
}

class RoundsDownWhatItCarriesOver extends ExactStore {
  protected override inGrains(tokens: Fraction, limit: Limit): Fraction {
    return ratio(floor(times(tokens, whole(limit.windowMs))), limit.windowMs)
  }
}

class DrainsAtTheNewRate extends ExactStore {
  protected override decide(
    charges: readonly Charge[],
    now: number,
    commit: boolean,
    before: readonly Charge[],
  ): Decision {
    for (const { scope = '', key, limits } of charges) {
      const buckets = this.rows.get(this.rowId(scope, key))?.buckets
      for (const limit of limits) {
        const bucket = buckets?.get(limit.name)
        if (bucket !== undefined) buckets?.set(limit.name, { ...bucket, limit })
      }
    }
    return super.decide(charges, now, commit, before)
  }
}

/** Forgets buckets before each decision, where `forgets`. */
function forgetting(
  forgets: (bucket: ExactBucket, limits: readonly Limit[], isRedefined: boolean) => boolean,
): new () => ExactStore {
  return class extends ExactStore {
    protected override decide(
      charges: readonly Charge[],
      now: number,
      commit: boolean,
      before: readonly Charge[],
    ): Decision {
      for (const { scope = '', key, limits } of charges) {
        const buckets = this.rows.get(this.rowId(scope, key))?.buckets ?? new Map<string, ExactBucket>()
        const isRedefined = limits.some((limit) => {
          const bucket = buckets.get(limit.name)
          return bucket !== undefined && this.isRedefined(bucket, limit)
        })
        for (const [name, bucket] of buckets) if (forgets(bucket, limits, isRedefined)) buckets.delete(name)
      }
      return super.decide(charges, now, commit, before)
    }
  }
}

/** What breaks the sentences about the clock and about limits that change. */
export const TIME_MUTANTS: readonly Mutant[] = [
  mutant('a step back of the clock mints nothing and is waited out', 'a step back drains', MintsOnAStepBack),
  mutant(
    'a step back of the clock mints nothing and is waited out',
    'the wait without ahead',
    ReportsTheWaitWithoutTheStepBack,
  ),
  mutant(
    'the moment that a key was drained to never moves back, so no time counts twice',
    'it moves back',
    anchored((_, now) => now),
  ),
  mutant(
    'a step back of 60,000 ms is waited out, a longer one is not, and keeps what is owed',
    '60,000 is too long',
    anchored((at, now) => (at - now >= 60_000 ? now : Math.max(at, now))),
  ),
  mutant(
    'a step back of 60,000 ms is waited out, a longer one is not, and keeps what is owed',
    'all are waited out',
    anchored(Math.max),
  ),
  mutant(
    'after a longer step back the key goes on from there, even if it was refused',
    'refusals are not written',
    WritesNoRefusals,
  ),
  mutant('a refusal keeps its moment', 'refusals are not written', WritesNoRefusals),
  mutant(
    'a key whose buckets are all full has no past to wait for',
    'full buckets keep their moment',
    KeepsThePastOfFullBuckets,
  ),
  mutant(
    'the buckets of one key in one scope are drained to one moment, those in another scope to their own',
    'a moment for each bucket',
    KeepsAMomentForEachBucket,
  ),
  mutant(
    'the buckets of one key in one scope are drained to one moment, those in another scope to their own',
    'a moment for all',
    KeepsOneMomentForAll,
  ),
  mutant(
    'time is whole milliseconds from any moment: below 0, since 1970, up to 2^53',
    'none below 0',
    reading((now) => Math.max(0, now)),
  ),
  mutant(
    'time is whole milliseconds from any moment: below 0, since 1970, up to 2^53',
    '32 bits',
    reading((now) => now | 0),
  ),
  mutant(
    'time is whole milliseconds from any moment: below 0, since 1970, up to 2^53',
    '14 digits',
    reading((now) => Number(now.toPrecision(14))),
  ),
  mutant(
    'a raised limit takes effect at once, and spent tokens stay spent',
    'starts full',
    carrying(() => ({ owed: ZERO })),
  ),
  mutant(
    'a raised limit takes effect at once, and spent tokens stay spent',
    'keeps what was left',
    carrying(({ limit, owed }, to) => ({ owed: plus(owed, whole(to.burst - limit.burst)) })),
  ),
  mutant(
    'under a lowered limit no more is owed than its own size',
    'all stays owed',
    carrying(({ owed }) => ({ owed })),
  ),
  mutant(
    'a debt stays a debt when the limit changes',
    'debts are forgiven',
    carrying((_, to, { owed }) => ({ owed: least(owed, whole(to.burst)) })),
  ),
  mutant(
    'a bucket that is carried over to another limit is rounded up to a whole grain of it',
    'rounded down',
    RoundsDownWhatItCarriesOver,
  ),
  mutant(
    'until it is charged under the new limit, a bucket drains at the old rate',
    'at the new one',
    DrainsAtTheNewRate,
  ),
  mutant(
    'a refusal carries over too, and remembers what the smaller limit cannot show',
    'refusals are not written',
    WritesNoRefusals,
  ),
  mutant(
    'a refusal carries over too, and remembers what the smaller limit cannot show',
    'it is forgotten',
    carrying(() => ({ cut: ZERO })),
  ),
  mutant(
    'spent tokens stay spent when a limit is lowered and raised again',
    'what is cut off is forgotten',
    carrying(() => ({ cut: ZERO })),
  ),
  mutant(
    'spent tokens stay spent when a limit is lowered and raised again',
    'what was cut off never counts again',
    carrying(({ owed }, to, { cut }) => ({ owed: least(owed, whole(to.burst)), cut })),
  ),
  mutant(
    'tokens that a smaller limit cannot show drain at its rate, after those that it shows',
    'both at the same time',
    DrainsBothAtOnce,
  ),
  mutant(
    'tokens that a smaller limit cannot show drain at its rate, after those that it shows',
    'it stays',
    NeverDrainsWhatIsCut,
  ),
  mutant(
    'a bucket that shows nothing owed but remembers more is not full: its key is kept, and its moment',
    'only what is shown counts',
    IsFullWhenNothingIsShown,
  ),
  mutant(
    'two definitions that take turns allow no more than the larger',
    'what is cut off is forgotten',
    carrying(() => ({ cut: ZERO })),
  ),
  mutant(
    'two definitions that take turns allow no more than the larger',
    'what is shown and what is cut off drain at the same time',
    DrainsBothAtOnce,
  ),
  mutant(
    'a raise takes effect at once, three times within a minute, and never leaves less than before',
    'the smaller definition stays in force',
    limiting((limit) => (limit.tokens > 500 ? { ...limit, tokens: 500, burst: 500, wholeBurst: 500 } : limit)),
  ),
  mutant(
    'a small raise after a large cut leaves no less than before it',
    'all that was cut off counts again, up to the size',
    carrying(({ owed, limit }, to, { cut }) => ({
      owed: to.burst > limit.burst ? least(plus(owed, cut), whole(to.burst)) : least(owed, whole(to.burst)),
    })),
  ),
  mutant(
    'tokens that are given back reduce what is shown first, then what was cut off',
    'only what is shown',
    GivesBackOnlyWhatIsShown,
  ),
  mutant(
    'tokens that are given back reduce what is shown first, then what was cut off',
    'what was cut off first',
    GivesBackWhatIsCutFirst,
  ),
  mutant(
    'a limit that stays as it is beside a changed one keeps its bucket',
    'the whole key starts full',
    forgetting((_bucket, _limits, isRedefined) => isRedefined),
  ),
  mutant(
    'a limit that is left out for a while keeps what it owes, and drains meanwhile',
    'it is forgotten',
    forgetting((bucket, limits) => !limits.some((limit) => limit.name === bucket.limit.name)),
  ),
  mutant(
    'limits that are equal but other objects are the same',
    'compared by identity',
    forgetting((bucket, limits) => !limits.includes(bucket.limit)),
  ),
  mutant(
    'a share takes the place of the whole limit, and gives it back, at what was spent',
    'a bucket for each definition',
    limiting((limit) => ({ ...limit, name: `${limit.name} of ${limit.burst}` })),
  ),
]
