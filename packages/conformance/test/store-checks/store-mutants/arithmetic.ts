import type { Limit } from '@rail/core'
import { grainsOf } from '../../../src/exact/exact-bucket.js'
import { ExactStore } from '../../../src/exact/exact-store.js'
import { type Fraction, ratio, reduced } from '../../../src/exact/fraction.js'
import { type Mutant, mutant } from './mutant.js'

const numberOf = ({ over, under }: Fraction): number => Number(over) / Number(under)

class KeepsTokensIn40BinaryPlaces extends ExactStore {
  protected override bounded(owed: Fraction, limit: Limit): Fraction {
    return ratio(Math.round(numberOf(super.bounded(owed, limit)) * 2 ** 40), 2n ** 40n)
  }
}

class CarriesOverInDoubles extends ExactStore {
  protected override inGrains(tokens: Fraction, limit: Limit): Fraction {
    const { over, under } = reduced(tokens)
    return ratio(Math.ceil((Number(over) * Number(grainsOf(limit))) / Number(under)), grainsOf(limit))
  }
}

class DrainsInDoubles extends ExactStore {
  protected override drainMs(tokens: Fraction, limit: Limit): number {
    return Math.ceil((numberOf(tokens) / limit.tokens) * limit.windowMs)
  }
}

class OwesWithoutEnd extends ExactStore {
  protected override bounded(owed: Fraction): Fraction {
    return reduced(owed)
  }
}

/** Faults that only the edges show: what the golden vectors are for. */
export const ARITHMETIC_MUTANTS: readonly Mutant[] = [
  mutant('golden vectors', 'tokens have 40 binary places', KeepsTokensIn40BinaryPlaces),
  mutant('golden vectors', 'what is carried over is computed in doubles', CarriesOverInDoubles),
  mutant('golden vectors', 'waits are computed in doubles', DrainsInDoubles),
  mutant('golden vectors', 'what is owed may pass 2^53 - 1 grains', OwesWithoutEnd),
]
