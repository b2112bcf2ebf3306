import type { Charge, Decision, Store } from '@rail/core'
import type { ChargedBucket, ExactBucket } from '../../../src/exact/exact-bucket.js'
import { ExactStore } from '../../../src/exact/exact-store.js'
import { least, whole } from '../../../src/exact/fraction.js'
import { charging, joined, limiting, type Mutant, mutant } from './mutant.js'
import { FillsAboveFull } from './taking.js'
import { WritesNoRefusals } from './time.js'

/** With what is settled as `change` has it. */
function settling(
  change: (charges: readonly Charge[], actual: number) => readonly [readonly Charge[], number],
): new () => ExactStore {
  return class extends ExactStore {
    override settle(charges: readonly Charge[], actual: number, now: number): void {
      super.settle(...change(charges, actual), now)
    }
  }
}

class SettlesOnlyToEmpty extends ExactStore {
  protected override moved(bucket: ExactBucket, tokens: number): ExactBucket {
    const moved = super.moved(bucket, tokens)
    return { ...moved, owed: least(moved.owed, whole(bucket.limit.burst)) }
  }
}

class SettlesWithoutDraining extends ExactStore {
  override settle(charges: readonly Charge[], actual: number): void {
    for (const charge of charges) {
      const at = this.rows.get(this.rowId(charge.scope ?? '', charge.key))?.at
      if (at !== undefined) super.settle([charge], actual, at)
    }
  }
}

class DrainsWhenItSettles extends ExactStore {
  override settle(charges: readonly Charge[], actual: number, now: number): void {
    for (const { scope = '', key } of charges) {
      this.keep(scope, key, this.broughtTo(now, this.rows.get(this.rowId(scope, key))))
    }
    super.settle(charges, actual, now)
  }
}

class SettlesUnderTheChargedLimit extends ExactStore {
  override settle(charges: readonly Charge[], actual: number, now: number): void {
    super.take(
      charges.map((charge) => ({ ...charge, cost: 0 })),
      now,
    )
    super.settle(charges, actual, now)
  }
}

class KeepsDefinitionsOfFullBuckets extends ExactStore {
  protected override owes(): boolean {
    return true
  }
}

class SettlesOnlyWhatIsThere extends ExactStore {
  override settle(charges: readonly Charge[], actual: number, now: number): void {
    super.settle(
      charges.filter(({ scope = '', key }) => this.rows.has(this.rowId(scope, key))),
      actual,
      now,
    )
  }
}

class TakesChargeByCharge extends ExactStore {
  protected override decide(
    charges: readonly Charge[],
    now: number,
    commit: boolean,
    before: readonly Charge[],
  ): Decision {
    return joined(charges.map((charge) => super.decide([charge], now, commit, before)))
  }
}

class ChecksEachChargeAlone extends ExactStore {
  protected override together(charges: readonly Charge[]): readonly ChargedBucket[] {
    return charges.flatMap((charge) => super.together([charge]))
  }
}

/** With what was taken before as `change` has it. */
function givingBack(
  change: (before: readonly Charge[], charges: readonly Charge[]) => readonly Charge[],
): new () => ExactStore {
  return class extends ExactStore {
    protected override decide(
      charges: readonly Charge[],
      now: number,
      commit: boolean,
      before: readonly Charge[],
    ): Decision {
      return super.decide(charges, now, commit, change(before, charges))
    }
  }
}

class ChecksTheDifference extends ExactStore {
  protected override decide(
    charges: readonly Charge[],
    now: number,
    commit: boolean,
    before: readonly Charge[],
  ): Decision {
    const difference = charges.map((charge, index) => ({ ...charge, cost: charge.cost - (before[index]?.cost ?? 0) }))
    return super.decide(before.length === 0 ? charges : difference, now, commit, [])
  }
}

class WritesChargeByCharge extends ExactStore {
  protected override decide(
    charges: readonly Charge[],
    now: number,
    commit: boolean,
    before: readonly Charge[],
  ): Decision {
    if (!commit || charges.length < 2) return super.decide(charges, now, commit, before)
    const decision = super.decide(charges, now, false, before)
    const costs = decision.allowed ? charges : charges.map((charge) => ({ ...charge, cost: 0 }))
    for (const charge of costs) {
      const names = charge.limits.map((limit) => limit.name)
      const same = before.filter(({ limits }) => limits.some(({ name }) => names.includes(name)))
      super.decide([charge], now, true, same)
    }
    return decision
  }
}

class PeekForgetsBefore extends ExactStore {
  override peek(charges: readonly Charge[], now: number): Decision {
    return super.peek(charges, now)
  }
}

class GivesBackAtAPeek extends ExactStore {
  override peek(charges: readonly Charge[], now: number, before: readonly Charge[] = []): Decision {
    super.take([], now, before)
    return super.peek(charges, now)
  }
}

class CountsARequestForEachCharge extends ExactStore {
  protected override sumFor(_limit: unknown, a: number, b: number): number {
    return a + b
  }
}

class TakesTheFirstOfTwoDefinitions extends ExactStore {
  protected override together(charges: readonly Charge[]): readonly ChargedBucket[] {
    try {
      return super.together(charges)
    } catch {
      return this.together(charges.slice(0, -1))
    }
  }
}

class ChecksAndTakesLater implements Store {
  readonly #store = new ExactStore()

  async take(charges: readonly Charge[], now: number): Promise<Decision> {
    const decision = await this.peek(charges, now)
    if (decision.allowed) this.#store.take(charges, now)
    return decision
  }

  async peek(charges: readonly Charge[], now: number): Promise<Decision> {
    return this.#store.peek(charges, now)
  }

  settle(): void {}

  reset(): void {}
}

class PeekTakes extends ExactStore {
  override peek(charges: readonly Charge[], now: number): Decision {
    return super.take(charges, now)
  }
}

class PeekWrites extends ExactStore {
  override peek(charges: readonly Charge[], now: number): Decision {
    const decision = super.peek(charges, now)
    super.take(
      charges.map((charge) => ({ ...charge, cost: 0 })),
      now,
    )
    return decision
  }
}

class ResetsAll extends ExactStore {
  override reset(): void {
    this.rows.clear()
  }
}

class ResetsNothingInScopes extends ExactStore {
  override reset(key: string): void {
    super.reset(key)
  }
}

class ResetsByPattern extends ExactStore {
  override reset(key: string, scope = ''): void {
    const pattern = new RegExp(`^${key.replace(/[.?[\]()%]/g, '\\$&').replaceAll('*', '.*')}$`)
    for (const id of this.rows.keys()) {
      const [rowScope, rowKey] = JSON.parse(id) as [string, string]
      if (rowScope === scope && pattern.test(rowKey)) this.rows.delete(id)
    }
  }
}

class UsesOneDecisionAgain extends ExactStore {
  #decision: Decision | undefined

  protected override decide(
    charges: readonly Charge[],
    now: number,
    commit: boolean,
    before: readonly Charge[],
  ): Decision {
    this.#decision = Object.assign(this.#decision ?? {}, super.decide(charges, now, commit, before))
    return this.#decision
  }
}

/** What breaks the sentences about settling, several charges, peek, reset and decisions. */
export const CHARGE_MUTANTS: readonly Mutant[] = [
  mutant(
    'settle gives back tokens that the actual cost does not need',
    'settle does nothing',
    settling(() => [[], 0]),
  ),
  mutant('settle never fills a bucket above full', 'it does', FillsAboveFull),
  mutant(
    'settle takes tokens that the actual cost needs besides, into debt if need be, and later requests wait it off',
    'only what is left',
    SettlesOnlyToEmpty,
  ),
  mutant(
    'settle leaves limits that count requests alone',
    'it does not',
    settling((charges, actual) => [
      charges.map((charge) => ({ ...charge, limits: charge.limits.map((limit) => ({ ...limit, counts: 'cost' })) })),
      actual,
    ]),
  ),
  mutant(
    'settle of the cost that was taken changes nothing, not even the moment the key was drained to',
    'it drains the key',
    DrainsWhenItSettles,
  ),
  mutant('settle counts from what is owed at its own moment', 'from the last take', SettlesWithoutDraining),
  mutant('settle moves tokens of the limit as the bucket has it now', 'as it was charged', SettlesUnderTheChargedLimit),
  mutant(
    'settle moves tokens of the limit as it was charged where the bucket is full by now',
    'as it was kept',
    KeepsDefinitionsOfFullBuckets,
  ),
  mutant(
    'settle corrects every limit of every charge, each by the difference to its own cost',
    'only the first charge',
    settling((charges, actual) => [charges.slice(0, 1), actual]),
  ),
  mutant(
    'settle corrects every limit of every charge, each by the difference to its own cost',
    'by the difference to the first cost',
    settling((charges, actual) => [charges.map((charge) => ({ ...charge, cost: charges[0]?.cost ?? 0 })), actual]),
  ),
  mutant(
    'settle of a bucket that was forgotten meanwhile takes what is more, and gives back nothing',
    'it is left alone',
    SettlesOnlyWhatIsThere,
  ),
  mutant('several charges are all or nothing', 'taken one after the other', TakesChargeByCharge),
  mutant(
    'charges that meet in one bucket are checked once, with their costs added',
    'each alone',
    ChecksEachChargeAlone,
  ),
  mutant(
    'one request takes 1 from a limit that counts requests, however many of its charges meet there',
    '1 for each charge',
    CountsARequestForEachCharge,
  ),
  mutant(
    'charges that meet in one bucket under two definitions of its limit are an error, and take nothing',
    'the first counts',
    TakesTheFirstOfTwoDefinitions,
  ),
  mutant(
    'a request that was charged before takes only the difference',
    'the whole is taken',
    givingBack(() => []),
  ),
  mutant(
    'earlier charges are given back once, however many of them meet in a bucket, then or now',
    'only what the last of them took',
    givingBack((before) => before.slice(-1)),
  ),
  mutant(
    'earlier charges are given back once, however many of them meet in a bucket, then or now',
    'once for each charge',
    givingBack((before, charges) => charges.flatMap(() => before)),
  ),
  mutant(
    'an earlier charge to a bucket that is no longer charged is given back, whether the request is allowed or not',
    'it is kept',
    givingBack((before, charges) => before.filter(({ key }) => charges.some((charge) => charge.key === key))),
  ),
  mutant(
    'an earlier charge to a bucket that is no longer charged is given back, whether the request is allowed or not',
    'only where the rest is allowed',
    WritesNoRefusals,
  ),
  mutant(
    'peek returns what take would for a request that was charged before, and gives back nothing',
    'peek does not know of it',
    PeekForgetsBefore,
  ),
  mutant(
    'peek returns what take would for a request that was charged before, and gives back nothing',
    'peek gives back',
    GivesBackAtAPeek,
  ),
  mutant(
    'a refused difference gives everything back, and its wait is that of the whole cost',
    'what was taken before is kept',
    WritesNoRefusals,
  ),
  mutant(
    'a refused difference gives everything back, and its wait is that of the whole cost',
    'the difference is checked',
    ChecksTheDifference,
  ),
  mutant(
    'every charge of a request waits out a step back of the clock, even where another charge empties the key',
    'the step back ends with the charge that empties it',
    WritesChargeByCharge,
  ),
  mutant(
    'charges of one key under different limits share its buckets by name',
    'a bucket for each set of limits',
    charging((charge) => ({ ...charge, key: `${charge.key} ${charge.limits.map((limit) => limit.name)}` })),
  ),
  mutant('peek returns what take would, and takes nothing', 'peek takes', PeekTakes),
  mutant('peek keeps nothing: neither the moment, nor a step back, nor a changed limit', 'peek writes', PeekWrites),
  mutant('reset fills the buckets of a key in one scope, "" by default, and no others', 'all are forgotten', ResetsAll),
  mutant(
    'reset fills the buckets of a key in one scope, "" by default, and no others',
    'the scope is ignored',
    ResetsNothingInScopes,
  ),
  mutant('reset takes a key as it is: it is no pattern', 'it is one', ResetsByPattern),
  mutant(
    'a decision stays as it was, whatever happens to its buckets',
    'one object for all decisions',
    UsesOneDecisionAgain,
  ),
  mutant(
    'takes that are made at once are allowed exactly up to the limit',
    'checks, and takes later',
    ChecksAndTakesLater,
  ),
  mutant(
    'one key has a bucket of its own for each name of a limit',
    'case is ignored',
    limiting((limit) => ({ ...limit, name: limit.name.toLowerCase() })),
  ),
  mutant(
    "a limit may have any name of printable ASCII, an object property's too",
    'other characters become _',
    limiting((limit) => ({ ...limit, name: limit.name.replace(/\W/g, '_') })),
  ),
]
