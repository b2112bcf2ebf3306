import type { Charge } from '@rail/core'
import { ExactStore } from '../../../src/exact/exact-store.js'
import { type Mutant, mutant } from './mutant.js'

class ChecksNoCharges extends ExactStore {
  protected override checked(charges: readonly Charge[]): readonly Charge[] {
    return charges
  }
}

class ChecksOnlyTakes extends ExactStore {
  override settle(charges: readonly Charge[], actual: number, now: number): void {
    if (Number.isSafeInteger(actual) && Array.isArray(charges)) super.settle(charges, Math.max(0, actual), now)
  }
}

class ChecksNoMoment extends ExactStore {
  protected override checked(charges: readonly Charge[], _now: number): readonly Charge[] {
    return super.checked(charges, 0)
  }
}

class ChecksButReadsAgain extends ExactStore {
  protected override checked(charges: readonly Charge[], now: number): readonly Charge[] {
    super.checked(charges, now)
    return charges
  }
}

class ResetsAnything extends ExactStore {
  override reset(key: string, scope?: string): void {
    super.reset(String(key) || 'x', scope === undefined ? undefined : String(scope))
  }
}

/** Faults in what a store does about wrong calls. */
export const CHECKING_MUTANTS: readonly Mutant[] = [
  mutant('wrong charges are an error, and nothing is taken', 'it checks no charges', ChecksNoCharges),
  mutant('a moment that is no whole number is an error, and nothing is taken', 'it checks no moment', ChecksNoMoment),
  mutant(
    'an actual cost that is none is an error, and nothing is given back',
    'it ignores wrong costs',
    ChecksOnlyTakes,
  ),
  mutant('a wrong key or scope of reset is an error', 'it resets anything', ResetsAnything),
  mutant(
    'a charge is what was checked, whatever it returns when it is read again',
    'it checks charges and reads them again',
    ChecksButReadsAgain,
  ),
  mutant(
    'limits are those that were checked, whatever they return when they are read again',
    'it checks limits and reads them again',
    ChecksButReadsAgain,
  ),
]
