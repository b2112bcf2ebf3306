import type { Charge, Decision, Limit, Store } from '@rail/core'
import { ExactStore } from '../../../src/exact/exact-store.js'

/** A store with one fault, and the sentence of the specification that it breaks. */
export interface Mutant {
  readonly breaks: string
  readonly fault: string
  create(): Store
}

/** Every fault is made in the exact store. */
export function mutant(breaks: string, fault: string, Faulty: new () => Store): Mutant {
  return { breaks, fault, create: () => new Faulty() }
}

/** A store that changes each charge. */
export function charging(change: (charge: Charge) => Charge): new () => ExactStore {
  return class extends ExactStore {
    protected override decide(
      charges: readonly Charge[],
      now: number,
      commit: boolean,
      before: readonly Charge[],
    ): Decision {
      return super.decide(charges.map(change), now, commit, before)
    }
  }
}

/** As {@link charging}, for each limit of a charge. */
export function limiting(change: (limit: Limit) => Limit): new () => ExactStore {
  return charging((charge) => ({ ...charge, limits: charge.limits.map(change) }))
}

/** The decision that several make, each of them taken by itself. */
export function joined(decisions: readonly Decision[]): Decision {
  return {
    allowed: decisions.every((decision) => decision.allowed),
    limits: decisions.flatMap((decision) => decision.limits),
    retryAfterMs: Math.max(...decisions.map((decision) => decision.retryAfterMs)),
    refusedBy: decisions.flatMap((decision) => decision.refusedBy),
  }
}
